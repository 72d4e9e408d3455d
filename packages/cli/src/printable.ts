/**
 * What a terminal, or a reader, might take for something else than text: control characters, marks that turn the direction of
 * writing, characters without a width, and tag characters. Line breaks and tabs are left to the caller.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

const escape = (sign: string): string => {
  const code = sign.codePointAt(0)!;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** Text of a server for a terminal: what is not plain text is shown as an escape. Line breaks and tabs stay. */
export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replace(UNSEEN, escape);

/** The same on one line, and no longer than `max` characters. */
export const oneLine = (text: string, max = Infinity): string => {
  // Cut before looking at it all: a peer may send megabytes.
  const cut = text.length > max ? `${text.slice(0, Math.max(0, max - 1))}…` : text;
  return printable(cut).replace(/[\n\t]/g, (sign) => (sign === '\n' ? '\\n' : '\\t'));
};

/** JSON text for a terminal: the same JSON, with escapes for what a terminal might act on. */
export const printableJson = (json: string): string =>
  json.replace(UNSEEN, (sign) =>
    // Outside of strings JSON has none of these, and in strings an escape means the same.
    sign.length === 1 ? escape(sign) : escape(sign[0]!) + `\\u${sign.charCodeAt(1).toString(16)}`,
  );
