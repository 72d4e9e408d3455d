import type { ElicitResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { checkAnswer } from '../schema/elicitation-answer.ts';
import { formatIssues } from '../schema/issue.ts';
import type { FormQuestion } from './options.ts';

type Filled = NonNullable<ElicitResult['content']>;

const filledIn = ({ defaults }: Pick<FormQuestion, 'defaults'>, content: ElicitResult['content']): Filled => {
  const given = Object.entries(content ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
};

/**
 * What is wrong with the answer to a form, in words; undefined: it can be sent. For who shows a form, to tell before the answer is given:
 * what an `elicit` handler gives is checked the same.
 *
 * @example formProblem(question, { seat: '12A' }) // undefined
 */
export const formProblem = (
  question: Pick<FormQuestion, 'schema' | 'defaults'>,
  content: ElicitResult['content'],
): string | undefined => {
  const issues = checkAnswer(question.schema, filledIn(question, content));
  return issues.length === 0 ? undefined : formatIssues(issues);
};

/** The content of a form as it may be sent: with its defaults filled in. Throws a `TypeError` that says what does not fit the form. */
export const checkedContent = (question: FormQuestion, content: ElicitResult['content']): Filled => {
  const problem = formProblem(question, content);
  if (problem === undefined) return filledIn(question, content);
  throw new TypeError(`The answer to '${shown(question.name ?? question.message)}' does not fit its form: ${problem}`);
};
