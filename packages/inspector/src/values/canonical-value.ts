/** Deeper values are not compared. */
const DEEPEST = 200;

/**
 * A JSON value in one way of writing it: members by name, so that their order makes no difference. Two values are the same exactly when
 * their texts are. Undefined for what is nested more than 200 levels deep.
 */
export const canonical = (value: unknown): string | undefined => {
  const parts: string[] = [];
  return write(value, parts, 0) ? parts.join('') : undefined;
};

const write = (value: unknown, parts: string[], depth: number): boolean => {
  if (typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value) ?? 'null');
    return true;
  }
  if (depth > DEEPEST) return false;
  if (Array.isArray(value)) {
    parts.push('[');
    for (const item of value) {
      if (!write(item, parts, depth + 1)) return false;
      parts.push(',');
    }
    parts.push(']');
    return true;
  }
  parts.push('{');
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    parts.push(JSON.stringify(name), ':');
    if (!write(member, parts, depth + 1)) return false;
    parts.push(',');
  }
  parts.push('}');
  return true;
};

/** Are two JSON values the same? What is too deep to tell is not. */
export const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  const text = canonical(a);
  return text !== undefined && text === canonical(b);
};
