// Text from a server, shown as plain text. Invisible and bidirectional control characters are named.

import { hiddenInText } from '@tenon/values/hidden';

/** A part of a text: plain, or one character shown by its name. */
export type Piece = { readonly plain: string } | { readonly code: string; readonly name: string };

const NAMES = new Map([
  [0x00, 'null'],
  [0x07, 'bell'],
  [0x08, 'backspace'],
  [0x0d, 'carriage return'],
  [0x1b, 'escape'],
  [0x7f, 'delete'],
  [0x200b, 'zero width space'],
  [0x200c, 'zero width non-joiner'],
  [0x200d, 'zero width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'pop directional formatting'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'pop directional isolate'],
  [0xfeff, 'byte order mark'],
]);

function nameOf(point: number): string {
  const known = NAMES.get(point);
  if (known !== undefined) return known;
  if (point >= 0xe0000 && point <= 0xe007f) return `tag character ${String.fromCodePoint(point - 0xe0000)}`;
  if (point >= 0xd800 && point <= 0xdfff) return 'lone surrogate';
  return point < 0xa0 ? 'control character' : 'invisible character';
}

/** `U+202E`. */
export function codePoint(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Splits a text into visible parts and named characters. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: hidden, index } of text.matchAll(hiddenInText())) {
    if (index > end) pieces.push({ plain: text.slice(end, index) });
    end = index + hidden.length;
    const point = hidden.codePointAt(0)!;
    pieces.push({ code: codePoint(point), name: nameOf(point) });
  }
  if (end < text.length) pieces.push({ plain: text.slice(end) });
  return pieces;
}

/** The same on one line of plain text, for titles and labels, which cannot contain elements. */
export function inertText(text: string, most = 500): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return piecesOf(cut)
    .map((piece) => ('plain' in piece ? piece.plain : `\\u{${piece.code.slice(2)}}`))
    .join('');
}

/** The URL of a link, if it is safe: only http and https, without a user name before the host. */
export function safeLink(text: string): { readonly href: string; readonly host: string } | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    return undefined;
  return { href: url.href, host: url.host };
}
