/** The approximate width of text on a terminal: one column for each code point, two for East Asian characters and emoji. */
export function width(text: string): number {
  let columns = 0;
  for (const sign of text) {
    const code = sign.codePointAt(0)!;
    if (/\p{Mark}/u.test(sign)) continue;
    columns += isWide(code) ? 2 : 1;
  }
  return columns;
}

/** The main wide blocks of Unicode Standard Annex 11. */
function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

/** The text, shortened to `columns`. */
export function fitted(text: string, columns: number): string {
  // No character is wider than two columns, so most texts need not be measured.
  if (text.length * 2 <= columns || width(text) <= columns) return text;
  let used = 1;
  let end = 0;
  for (const sign of text) {
    const next = width(sign);
    if (used + next > columns) break;
    used += next;
    end += sign.length;
  }
  return `${text.slice(0, end)}…`;
}

const MIN_LAST_COLUMN = 20;

/**
 * Lays out rows as lines of two aligned columns, indented by two spaces, no wider than `columns`. If a row's first column is longer than
 * `most`, its second column goes on the next line.
 */
export function table(rows: readonly (readonly [string, string])[], columns: number, most = 40): string[] {
  const fits = rows.map(([first]) => width(first)).filter((size) => size <= most);
  const size = Math.max(0, ...fits);
  const room = Math.max(MIN_LAST_COLUMN, columns - size - 4);
  return rows.flatMap(([first, second]) => {
    const gap = size - width(first);
    const text = fitted(second, room);
    if (text === '') return [`  ${first}`];
    if (gap < 0) return [`  ${first}`, `  ${' '.repeat(size)}  ${text}`];
    return [`  ${first}${' '.repeat(gap)}  ${text}`];
  });
}
