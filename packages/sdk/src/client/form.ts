import type { ElicitResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { checkAnswer } from '../schema/elicitation-answer.ts';
import { formatIssues, type ValidationIssue } from '../schema/issue.ts';
import type { FormQuestion } from './options.ts';

type Content = NonNullable<ElicitResult['content']>;

function filledIn({ defaults }: Pick<FormQuestion, 'defaults'>, content: ElicitResult['content']): Content {
  const given = Object.entries(content ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/**
 * What is wrong with the answer to a form, for each field that is: `[]` if it can be sent. `formProblem` says the same in one line.
 *
 * @example
 * ```ts
 * import { formIssues } from 'tenon/forms';
 *
 * const schema = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] };
 * formIssues({ schema, defaults: {} }, {}); // [{ path: ['seat'], message: 'is required' }]
 * ```
 */
export function formIssues(
  question: Pick<FormQuestion, 'schema' | 'defaults'>,
  content: ElicitResult['content'],
): ValidationIssue[] {
  return checkAnswer(question.schema, filledIn(question, content));
}

/**
 * Describes what is wrong with the answer to a form; undefined if it can be sent. Programs that show a form can check the answer with it before
 * an `elicit` handler returns it: that is checked in the same way.
 *
 * @example
 * ```ts
 * import { formProblem } from 'tenon/forms';
 *
 * const schema = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] };
 * formProblem({ schema, defaults: {} }, { seat: '12A' }); // undefined
 * formProblem({ schema, defaults: {} }, {}); // 'seat: is required'
 * ```
 */
export function formProblem(
  question: Pick<FormQuestion, 'schema' | 'defaults'>,
  content: ElicitResult['content'],
): string | undefined {
  const issues = formIssues(question, content);
  return issues.length === 0 ? undefined : formatIssues(issues);
}

/** The content of a form with its defaults filled in. Throws a `TypeError` that says what does not match the form. */
export function checkedContent(question: FormQuestion, content: ElicitResult['content']): Content {
  const problem = formProblem(question, content);
  if (problem === undefined) return filledIn(question, content);
  throw new TypeError(`The answer to '${shown(question.name ?? question.message)}' does not fit its form: ${problem}`);
}
