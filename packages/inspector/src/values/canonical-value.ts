import { canonicalJson } from '@tenon/values/canonical-json';

/** Deeper values are not compared. */
const MAX_DEPTH = 200;

/**
 * A JSON value in one way of writing it: members by name, so that their order makes no difference. Two values are the same exactly when
 * their texts are. Undefined for what is nested more than 200 levels deep.
 */
export function canonical(value: unknown): string | undefined {
  try {
    return canonicalJson(value, MAX_DEPTH);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Are two JSON values the same? What is too deep to tell is not. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const text = canonical(a);
  return text !== undefined && text === canonical(b);
}
