import process from 'node:process';
import { stripVTControlCharacters, styleText } from 'node:util';
import { oneLine, printable } from '../printable.ts';

// The only place that makes escape sequences for text. Whatever text goes in, none of its own come out.

type Style = 'bold' | 'dim' | 'inverse' | 'underline' | 'reset' | 'cyan' | 'green' | 'red' | 'yellow';

const COLOURS: ReadonlySet<Style> = new Set(['cyan', 'green', 'red', 'yellow']);

/** Text in a style, with everything in it escaped that a terminal might act on. Who sets NO_COLOR gets no colours. */
export const paint = (style: Style, text: string): string => {
  const safe = printable(text);
  if (process.env['NO_COLOR'] && COLOURS.has(style)) return safe;
  return styleText(style, safe, { validateStream: false });
};

/** Most characters of a line that are shown. */
const LONGEST = 2_000;

/** A line, cut after so many characters; how many there were is said. */
export const cut = (text: string, max = LONGEST): string => {
  if (text.length <= max) return oneLine(text);
  return `${oneLine(text.slice(0, max))}… (${text.length.toLocaleString('en')} characters)`;
};

/** The first lines of a text, each cut, and how many there are more. */
export const firstLines = (text: string, most: number, max = LONGEST): string[] => {
  const lines = text.split(/\r?\n/, 10_000);
  const shown = lines.slice(0, most).map((line) => cut(line, max));
  return lines.length > most ? [...shown, `… ${lines.length - most} more lines`] : shown;
};

/** All lines of a text, for a person who decides about it: nothing is left out. */
export const wholeText = (text: string): string[] => printable(text).split('\n');

/** How many characters there are without styles. */
export const widthOf = (text: string): number => stripVTControlCharacters(text).length;
