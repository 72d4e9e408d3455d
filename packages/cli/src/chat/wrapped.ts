import { stripVTControlCharacters } from 'node:util';
import { width } from '../terminal/table.ts';

/** The parts of a line: escape sequences of styles, single spaces between words, and everything else. */
const PARTS = /\u001b\[[\d;]*m|(?<=\S) (?=\S)|(?:(?!\u001b\[|(?<=\S) (?=\S)).)+/gs;

/** A label, and the text behind it. */
const LABELLED = /^ *\S(?:.*?\S)?\s{2,}(?=\S)/;
/** A mark, such as that of a warning. */
const MARKED = /^ *[!•✓✗›+–-] (?=\S)/;
const INDENTED = /^ */;

/** The indentation of wrapped lines: the start of the line's text, but at most half of the columns. */
function indentOf(plain: string, columns: number): number {
  for (const pattern of [MARKED, LABELLED, INDENTED]) {
    const size = width(pattern.exec(plain)?.[0] ?? '');
    if (size > 0 && size <= columns / 2) return size;
  }
  return 0;
}

/**
 * Wraps styled lines to the columns: breaks them at single spaces between words. Text without such a space is left to the terminal, so that
 * a URL can be copied. Only these spaces are removed.
 */
export function wrapped(line: string, columns: number): string {
  return line
    .split('\n')
    .map((one) => wrappedLine(one, columns))
    .join('\n');
}

function wrappedLine(line: string, columns: number): string {
  const room = columns - 1;
  const plain = stripVTControlCharacters(line);
  // No character is wider than two columns, so most lines need not be measured.
  if (plain.length * 2 <= room || width(plain) <= room) return line;
  const indent = indentOf(plain, columns);
  const parts = line.match(PARTS) ?? [];
  let shown = '';
  let column = 0;
  let isSpaced = false;
  for (const part of parts) {
    if (part.startsWith('\u001b')) {
      shown += part;
      continue;
    }
    if (part === ' ') {
      isSpaced = true;
      continue;
    }
    const size = width(part);
    const breaks = isSpaced && column + 1 + size > room;
    if (breaks) shown += `\n${' '.repeat(indent)}`;
    else if (isSpaced) shown += ' ';
    column = (breaks ? indent : column + (isSpaced ? 1 : 0)) + size;
    shown += part;
    isSpaced = false;
  }
  return isSpaced ? `${shown} ` : shown;
}
