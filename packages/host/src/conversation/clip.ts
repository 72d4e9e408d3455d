import { wellFormed } from '../values/well-formed.ts';

/** Shortens a text to `limit` characters, and notes how many were omitted. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return wellFormed(text);
  // Do not split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return `${wellFormed(text.slice(0, end))}\n[${formatCount(text.length - end)} more characters were omitted here.]`;
}

/** The first line of a text, shortened for a list. */
export function oneLine(text: string, limit = 160): string {
  const [line = ''] = text.trim().split(/\r\n|[\n\r\u2028\u2029]/);
  const plain = wellFormed(line.replace(/\s+/g, ' ').trim());
  return plain.length <= limit ? plain : `${wellFormed(plain.slice(0, limit - 1))}…`;
}

/** Formats a number with separators: `1,234`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats the size of base64 data. */
export function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 10_000 ? `${formatCount(bytes)} bytes` : `${formatCount(Math.round(bytes / 1_000))} kB`;
}

/** Estimates the number of tokens of a text, with four characters per token. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}
