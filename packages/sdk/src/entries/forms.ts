/** Elicitation forms: for programs that show them to users. */
export { formProblem } from '../client/form.ts';
export { choicesOf } from '../schema/elicitation-fields.ts';
export type { Choice } from '../schema/elicitation-fields.ts';
