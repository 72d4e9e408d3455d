// Checks for bytes that should be UTF-8, and strings that should be written as UTF-8. Nothing is repaired: invalid bytes are shown as such,
// and invalid strings are rejected.
import { decodeUtf8, isWellFormed } from '@tenon/values/utf8';
import { AccessError } from './folders.ts';

/** In bytes as Latin-1 text: a run of ASCII, one longer UTF-8 character (RFC 3629, 4), or a byte that belongs to neither. */
const PIECES =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g;

/** The text of bytes, with `<E9>` for each byte that is not part of a character in UTF-8. */
export function textWithBytes(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return { text, isUtf8: true };
  const shown = Buffer.from(bytes)
    .toString('latin1')
    .replace(PIECES, (piece, wrong?: string) =>
      wrong === undefined
        ? Buffer.from(piece, 'latin1').toString()
        : `<${wrong.charCodeAt(0).toString(16).toUpperCase()}>`,
    );
  return { text: shown, isUtf8: false };
}

/** The number of bytes at the end that begin a character in UTF-8 without completing it. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/** Throws an `AccessError` if a text anywhere in these arguments cannot be written as UTF-8. */
export function checkWritable(args: unknown): void {
  if (typeof args === 'string') {
    if (!isWellFormed(args))
      throw new AccessError(
        'A text has half of a character in it (a lone surrogate), which cannot be written as UTF-8',
      );
  } else if (typeof args === 'object' && args !== null)
    for (const [key, value] of Object.entries(args)) {
      checkWritable(key);
      checkWritable(value);
    }
}
