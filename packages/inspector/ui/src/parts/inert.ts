// Text from a server as what it is: text. Characters that are not seen, or that turn the order of others round, are named.

/** A piece of a text: as it is, or one character that is shown by its name. */
export type Piece = { readonly plain: string } | { readonly code: string; readonly name: string };

/** Control characters but tab and line feed, invisible and direction-changing ones, tags, and lone surrogates. */
const HIDDEN =
  // oxlint-disable-next-line no-misleading-character-class -- each stands for itself.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffc\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\ud800-\udfff]/u;

const NAMES = new Map([
  [0x00, 'null'],
  [0x07, 'bell'],
  [0x08, 'backspace'],
  [0x0d, 'carriage return'],
  [0x1b, 'escape'],
  [0x7f, 'delete'],
  [0x200b, 'zero width space'],
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

const nameOf = (point: number): string => {
  const known = NAMES.get(point);
  if (known !== undefined) return known;
  if (point >= 0xe0000 && point <= 0xe007f) return `tag character ${String.fromCodePoint(point - 0xe0000)}`;
  if (point >= 0xd800 && point <= 0xdfff) return 'half of a character';
  return point < 0xa0 ? 'control character' : 'invisible character';
};

/** `U+202E`. */
export const codePoint = (point: number): string => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;

/** Takes a text apart into what is seen and what is not. */
export const piecesOf = (text: string): readonly Piece[] => {
  if (!HIDDEN.test(text)) return text === '' ? [] : [{ plain: text }];
  const pieces: Piece[] = [];
  let plain = '';
  for (const sign of text) {
    if (!HIDDEN.test(sign)) {
      plain += sign;
      continue;
    }
    if (plain !== '') pieces.push({ plain });
    plain = '';
    const point = sign.codePointAt(0)!;
    pieces.push({ code: codePoint(point), name: nameOf(point) });
  }
  if (plain !== '') pieces.push({ plain });
  return pieces;
};

/** The same in one line of plain text, for titles and labels, where no element can stand. */
export const inertText = (text: string, most = 500): string => {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return piecesOf(cut)
    .map((piece) => ('plain' in piece ? piece.plain : `\\u{${piece.code.slice(2)}}`))
    .join('');
};

/** Where a link goes, if it may be followed at all: http and https only, without a user name in front of the host. */
export const safeLink = (text: string): { readonly href: string; readonly host: string } | undefined => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    return undefined;
  return { href: url.href, host: url.host };
};
