import { escapeHidden } from '@tenon/values/hidden';
import { textWithBytes } from '../../shared/bytes.ts';

/** Characters that end a line, or that a terminal acts on. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;

/**
 * A name or path as it is shown on a line of its own. One with control characters is shown as in JSON, in quotes with escapes: a line break in
 * it would look like another line. So is one that begins with a quote, so that the two cannot be confused.
 */
export function shownName(name: string): string {
  return name.startsWith('"') || name.search(CONTROLS) !== -1 ? escapeHidden(JSON.stringify(name), CONTROLS) : name;
}

/** A name that is not UTF-8 as it is shown: in quotes, with `<E9>` for each byte that is not UTF-8. It cannot be used as a path. */
export function shownBytes(name: Uint8Array): string {
  return escapeHidden(JSON.stringify(textWithBytes(name).text), CONTROLS);
}
