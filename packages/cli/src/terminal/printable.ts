import { escapeHidden, hiddenInText } from '@tenon/values/hidden';

/** Makes text of a server safe for a terminal: control and invisible characters become escapes. Line breaks and tabs stay. */
export function printable(text: string): string {
  return escapeHidden(text.replaceAll('\r\n', '\n'), hiddenInText());
}

/** The same on one line, shortened to `max` characters. */
export function oneLine(text: string, max = Infinity): string {
  // Cut first: a peer may send megabytes.
  const cut = text.length > max ? `${text.slice(0, Math.max(0, max - 1))}…` : text;
  return printable(cut).replace(/[\n\t]/g, (sign) => (sign === '\n' ? '\\n' : '\\t'));
}

/** Makes JSON text safe for a terminal: the same JSON value, with escapes for characters that a terminal might act on. */
export function printableJson(json: string): string {
  // These characters occur only inside JSON strings, where an escape of each code unit means the same.
  return json.replace(hiddenInText(), (character) =>
    character
      .split('')
      .map((unit) => escapeHidden(unit, /[^]/g))
      .join(''),
  );
}
