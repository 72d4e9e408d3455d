import { escapeHidden, hiddenInText } from '@tenon/values/hidden';

/** Text of a server for a terminal: what is not plain text is shown as an escape. Line breaks and tabs stay. */
export const printable = (text: string): string => escapeHidden(text.replaceAll('\r\n', '\n'), hiddenInText());

/** The same on one line, and no longer than `max` characters. */
export const oneLine = (text: string, max = Infinity): string => {
  // Cut before looking at it all: a peer may send megabytes.
  const cut = text.length > max ? `${text.slice(0, Math.max(0, max - 1))}…` : text;
  return printable(cut).replace(/[\n\t]/g, (sign) => (sign === '\n' ? '\\n' : '\\t'));
};

/** JSON text for a terminal: the same JSON, with escapes for what a terminal might act on. */
export const printableJson = (json: string): string =>
  // Outside of strings JSON has none of these, and in strings an escape of each code unit means the same.
  json.replace(hiddenInText(), (character) =>
    character
      .split('')
      .map((unit) => escapeHidden(unit, /[^]/g))
      .join(''),
  );
