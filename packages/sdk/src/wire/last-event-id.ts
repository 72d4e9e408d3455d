import { isFieldValue, trimOws } from './headers.ts';

/**
 * The `Last-Event-ID` header for an event id, as UTF-8 like that of a browser (HTML Standard, "The Last-Event-ID header"): one character
 * for each byte. Undefined for an id that would not arrive unchanged: one with control characters, or with leading or trailing whitespace.
 *
 * @example lastEventIdHeader('é') // 'Ã©'
 */
export function lastEventIdHeader(id: string): string | undefined {
  const value = Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('');
  return isFieldValue(value) && trimOws(value) === value ? value : undefined;
}
