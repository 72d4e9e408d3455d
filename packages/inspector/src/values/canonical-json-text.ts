import { canonicalNumber, isNumber } from './exact-json.ts';
import { elementTexts, memberTexts } from './json-text.ts';

/** Deeper JSON is compared as it is written. */
const MAX_DEPTH = 200;

/**
 * The one way to write a JSON value: members by name, no spaces, every number in one form and none of its digits lost. Two texts mean the
 * same exactly when theirs is the same. Expects text that `JSON.parse` accepts.
 */
export function canonicalJsonText(text: string, depth = 0): string {
  const trimmed = text.trim();
  if (depth > MAX_DEPTH) return trimmed;
  const elements = elementTexts(trimmed);
  if (elements !== undefined) return `[${elements.map((element) => canonicalJsonText(element, depth + 1)).join(',')}]`;
  const members = memberTexts(trimmed);
  if (members !== undefined) {
    // Of several with the same name the last counts, as `JSON.parse` has it.
    const byName = [...new Map(members)].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${byName.map(([name, value]) => `${JSON.stringify(name)}:${canonicalJsonText(value, depth + 1)}`).join(',')}}`;
  }
  if (isNumber(trimmed)) return canonicalNumber(trimmed);
  return trimmed.startsWith('"') ? JSON.stringify(JSON.parse(trimmed)) : trimmed;
}
