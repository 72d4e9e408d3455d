import { escapeHidden } from '@tenon/values/hidden';
import { textWithBytes } from '../../shared/bytes.ts';

/** Characters that end a line, or that control a terminal. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;

/**
 * Formats a name or path for a line of its own. One with control characters is shown as a JSON string, because a line break in it would
 * look like another line. So is one that begins with a quote, so that the two cannot be confused.
 */
export function shownName(name: string): string {
  return name.startsWith('"') || name.search(CONTROLS) !== -1 ? escapeHidden(JSON.stringify(name), CONTROLS) : name;
}

/** Formats a name that is not UTF-8: in quotes, with `<E9>` for each byte that is not UTF-8. The result cannot be used as a path. */
export function shownBytes(name: Uint8Array): string {
  return escapeHidden(JSON.stringify(textWithBytes(name).text), CONTROLS);
}
