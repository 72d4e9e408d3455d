/** Forms that servers ask people to fill in: for programs that show them. */
export { formProblem } from '../client/form.ts';
export { choicesOf } from '../schema/elicitation-fields.ts';
export type { Choice } from '../schema/elicitation-fields.ts';
