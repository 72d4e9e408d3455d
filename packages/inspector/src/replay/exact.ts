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

/** A value for people, with numbers as they were written. */
export function shownValue(value: unknown, most = 200): string {
  const text = textOf(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The message with another `id`, and otherwise unchanged. */
export function withId(text: string, id: string): string {
  return rewriteJson(text, ({ path, isName, name }) =>
    !isName && name === 'id' && path().length === 1 ? id : undefined,
  );
}
