import { canonicalNumber, isNumber } from './exact-json.ts';
import { elementTexts, memberTexts } from './json-text.ts';

/** The deepest JSON that is normalized; deeper parts stay as they are written. */
const MAX_DEPTH = 200;

/**
 * The canonical text of a JSON value: members sorted by name, no spaces, every number in one form without losing digits. Two
 * texts mean the same exactly when their canonical texts are equal. Expects text that `JSON.parse` accepts.
 */
export function canonicalJsonText(text: string, depth = 0): string {
  const trimmed = text.trim();
  if (depth > MAX_DEPTH) return trimmed;
  const elements = elementTexts(trimmed);
  if (elements !== undefined) return `[${elements.map((element) => canonicalJsonText(element, depth + 1)).join(',')}]`;
  const members = memberTexts(trimmed);
  if (members !== undefined) {
    // Of several members with the same name, the last counts, as in `JSON.parse`.
    const byName = [...new Map(members)].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${byName.map(([name, value]) => `${JSON.stringify(name)}:${canonicalJsonText(value, depth + 1)}`).join(',')}}`;
  }
  if (isNumber(trimmed)) return canonicalNumber(trimmed);
  return trimmed.startsWith('"') ? JSON.stringify(JSON.parse(trimmed)) : trimmed;
}
