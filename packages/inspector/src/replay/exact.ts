import { rewriteJson } from '../record/rewrite-json.ts';
import { canonicalNumber, isLossy } from '../values/exact-json.ts';

const MARK = '\u0000number ';

/**
 * Parses JSON for comparison: a number that JavaScript cannot represent becomes a unique string, so that different numbers never
 * look equal. Throws a `SyntaxError` for invalid JSON.
 */
export function readForComparing(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Only long numbers can be inexact.
  if (!/\d{16}|\d[eE]/.test(text)) return value;
  return JSON.parse(
    rewriteJson(text, ({ type, value: word }) =>
      type === 'word' && /^-?\d/.test(word) && isLossy(word)
        ? JSON.stringify(`${MARK}${canonicalNumber(word)} ${word}`)
        : undefined,
    ),
  ) as unknown;
}

const MARKED = /"\\u0000number [^ "]+ ([^ "]+)"/g;

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  try {
    return JSON.stringify(value).replace(MARKED, '$1');
  } catch {
    return 'something that is nested too deep to be shown';
  }
}

const MAX_SHOWN = 200;
/** How much of two long values is shown before the first difference, in characters. */
const BEFORE = 60;

/** Two different values for people, with numbers as they were written. Of long ones, the part with the first difference is shown. */
export function shownValues(recorded: unknown, now: unknown): { readonly recorded: string; readonly now: string } {
  const [one, other] = [textOf(recorded), textOf(now)];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const from = Math.max(one.length, other.length) > MAX_SHOWN ? Math.max(0, at - BEFORE) : 0;
  const shown = (text: string): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + MAX_SHOWN)}${text.length > from + MAX_SHOWN ? '…' : ''}`;
  return { recorded: shown(one), now: shown(other) };
}

/** The message with another `id`, and otherwise unchanged. */
export function withId(text: string, id: string): string {
  return rewriteJson(text, ({ path, isName, name }) =>
    !isName && name === 'id' && path().length === 1 ? id : undefined,
  );
}
