import type { ElicitResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { checkAnswer } from '../schema/elicitation-answer.ts';
import { formatIssues } from '../schema/issue.ts';
import type { FormQuestion } from './options.ts';

/** The content of a form as it may be sent: with its defaults filled in. Throws a `TypeError` that says what does not fit the form. */
export const checkedContent = (
  { name, message, schema, defaults }: FormQuestion,
  content: ElicitResult['content'],
): NonNullable<ElicitResult['content']> => {
  const given = Object.entries(content ?? {}).filter(([, value]) => value !== undefined);
  const filled = { ...defaults, ...Object.fromEntries(given) };
  const issues = checkAnswer(schema, filled);
  if (issues.length === 0) return filled;
  throw new TypeError(`The answer to '${shown(name ?? message)}' does not fit its form: ${formatIssues(issues)}`);
};
