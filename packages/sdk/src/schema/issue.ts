import { shown } from '../protocol/text.ts';
import { quoted } from './quoted.ts';

/** A problem with a value, in words a model can act on: `{ path: ['a', 0], message: 'must be a number, got a string' }`. */
export interface ValidationIssue {
  /** Where in the value: member names and indices, from the root on. Empty for the root. */
  readonly path: readonly (string | number)[];
  /** What is wrong, without the path. */
  readonly message: string;
}

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/;
const MAX_SHOWN = 10;

/**
 * One line for people and models: `a.b[0]: must be >= 1; c: is required`. Contains at most ten issues.
 *
 * @example
 * ```ts
 * import { formatIssues } from 'tenon/schema';
 *
 * formatIssues([{ path: ['a', 'b'], message: 'must be >= 1' }]); // 'a.b: must be >= 1'
 * ```
 */
export function formatIssues(issues: readonly ValidationIssue[]): string {
  const texts = issues
    .slice(0, MAX_SHOWN)
    .map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`));
  if (issues.length > MAX_SHOWN) texts.push(`and ${issues.length - MAX_SHOWN} more`);
  return texts.join('; ');
}

/** `a.b[0]["odd name"]`. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (PLAIN_NAME.test(step)) text += `${text === '' ? '' : '.'}${shown(step, 60)}`;
    else text += `[${quoted(step)}]`;
  }
  return text;
}
