/** Elicitation forms: for programs that show them to users. */
export { formIssues, formProblem } from '../client/form.ts';
export type { ValidationIssue } from '../schema/issue.ts';
export { choicesOf } from '../schema/elicitation-fields.ts';
export type { Choice } from '../schema/elicitation-fields.ts';
