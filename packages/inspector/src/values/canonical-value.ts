import { canonicalJson } from '@tenon/values/canonical-json';

/** Values nested deeper are not compared. */
const MAX_DEPTH = 200;

/**
 * The canonical text of a JSON value: members are sorted by name, so their order makes no difference. Two values are equal
 * exactly when their texts are. Undefined for a value nested more than 200 levels deep.
 */
export function canonical(value: unknown): string | undefined {
  try {
    return canonicalJson(value, MAX_DEPTH);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns whether two JSON values are equal. Values nested too deeply are not. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const text = canonical(a);
  return text !== undefined && text === canonical(b);
}
