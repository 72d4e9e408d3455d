import process from 'node:process';
import { stripVTControlCharacters, styleText } from 'node:util';
import { oneLine, printable } from '../terminal/printable.ts';

// The only place that adds escape sequences to text. Escape sequences in the text itself are always made visible.

type Style = 'bold' | 'dim' | 'inverse' | 'underline' | 'reset' | 'cyan' | 'green' | 'red' | 'yellow';

const COLOURS: ReadonlySet<Style> = new Set(['cyan', 'green', 'red', 'yellow']);

/** Text in a style. Characters that a terminal might act on are escaped. NO_COLOR turns colours off. */
export function paint(style: Style, text: string): string {
  const safe = printable(text);
  if (process.env['NO_COLOR'] && COLOURS.has(style)) return safe;
  return styleText(style, safe, { validateStream: false });
}

/** How many characters of a line are shown. */
const MAX_LENGTH = 2_000;

/** A line, cut after `max` characters, with its full length. */
export function cut(text: string, max = MAX_LENGTH): string {
  if (text.length <= max) return oneLine(text);
  return `${oneLine(text.slice(0, max))}… (${text.length.toLocaleString('en')} characters)`;
}

/** The first lines of a text, each cut, and the number of remaining lines. */
export function firstLines(text: string, most: number, max = MAX_LENGTH): string[] {
  const lines = text.split(/\r?\n/, 10_000);
  const shown = lines.slice(0, most).map((line) => cut(line, max));
  return lines.length > most ? [...shown, `… ${lines.length - most} more lines`] : shown;
}

/** All lines of a text, uncut, for decisions of the user. */
export function wholeText(text: string): string[] {
  return printable(text).split('\n');
}

/** The number of characters without styles. */
export function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
