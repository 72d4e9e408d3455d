import { stripVTControlCharacters, styleText } from 'node:util';
import { printable } from '../terminal/printable.ts';
import { width } from '../terminal/table.ts';
import { paint } from './paint.ts';

// Text of a model on a terminal: it arrives in pieces, is wrapped between words, and shows a little of Markdown as styles: headings, lists,
// bold, and code. Apart from their marks, nothing of the text is left out.

/** Text that arrives in pieces. */
export interface TextFlow {
  /** Adds a piece. Returns what can be shown of it: a word is shown when it is complete. */
  add(text: string): string;
  /** Returns what was not shown yet. The next text begins a new line. */
  end(): string;
}

/** A fence around lines of code. */
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^#{1,6}$/;
const BULLET = /^[-*+]$/;
const NUMBER = /^\d{1,9}[.)]$/;
/** Bold begins before a letter or digit and ends after one, so that `**` in a pattern of files stays. */
const BOLD_BEGINS = /^([("'_]*)\*\*(?=[\p{L}\p{N}`"'(])/u;
const BOLD_ENDS = /(?<=[\p{L}\p{N}\p{P}])\*\*([)"'_.,;:!?]*)$/u;

/** Text is not wrapped to fewer columns. */
const MIN_COLUMNS = 20;
/** A longer word is shown although it may not be complete. */
const MAX_WORD = 2_000;

/** What is known of the current line. */
interface Line {
  /** The columns that are used. */
  column: number;
  /** The columns before the text, for the lines that it is wrapped to. */
  indent: number;
  /** Whether anything but spaces was shown. */
  isBegun: boolean;
  isHeading: boolean;
  isBold: boolean;
  isCode: boolean;
  /** The rest of the line belongs to a fence, and is not shown. */
  isFence: boolean;
}

function newLine(): Line {
  return {
    ...{ column: 0, indent: 0 },
    ...{ isBegun: false, isHeading: false, isBold: false, isCode: false, isFence: false },
  };
}

export function createTextFlow(columns: () => number): TextFlow {
  let line = newLine();
  let word = '';
  let spaces = '';
  /** The fence of the lines of code that are shown. */
  let fence: string | undefined;

  const room = (): number => Math.max(MIN_COLUMNS, columns() - 1);

  /** Shows text in the style of its place. */
  const styled = (text: string): string => {
    if (line.isCode || fence !== undefined) return paint('cyan', text);
    return line.isBold || line.isHeading ? paint('bold', text) : printable(text);
  };

  /** Parts in code and others. The marks of code stay, as it may not be told by its colour. */
  const withCode = (text: string): string =>
    text
      .split(/(`+)/)
      .map((part) => {
        if (!part.startsWith('`')) return part === '' ? '' : styled(part);
        line.isCode = !line.isCode;
        return styleText('dim', part, { validateStream: false });
      })
      .join('');

  /** The text of a word, without the marks of bold text. */
  const formatted = (text: string): string => {
    if (fence !== undefined) return styled(text);
    const begins = !line.isCode && !line.isBold && BOLD_BEGINS.test(text);
    if (begins) line.isBold = true;
    const opened = begins ? text.replace(BOLD_BEGINS, '$1') : text;
    const ends = line.isBold && BOLD_ENDS.test(opened);
    const shown = withCode(ends ? opened.replace(BOLD_ENDS, '$1') : opened);
    if (ends) line.isBold = false;
    return shown;
  };

  /** Shows a word, on the next line if there is no room for it. */
  const place = (shown: string): string => {
    const size = width(stripVTControlCharacters(shown));
    const gap = width(spaces);
    const isWrapped = fence === undefined && line.isBegun && gap > 0 && line.column + gap + size > room();
    const before = isWrapped ? `\n${' '.repeat(line.indent)}` : spaces;
    line.column = (isWrapped ? line.indent : line.column + gap) + size;
    line.isBegun = true;
    spaces = '';
    return before + shown;
  };

  /** Shows the first word of a line, which may be a mark. */
  const first = (text: string): string => {
    const [mark] = FENCE.exec(text) ?? [];
    if (fence !== undefined) {
      if (mark === undefined || mark[0] !== fence[0] || mark.length < fence.length) return place(styled(text));
      fence = undefined;
      line.isFence = true;
      return '';
    }
    if (mark !== undefined) {
      fence = mark;
      line.isFence = true;
      return '';
    }
    if (HEADING.test(text)) {
      line.isHeading = true;
      spaces = '';
      return '';
    }
    const isItem = BULLET.test(text) || NUMBER.test(text);
    const begun = width(spaces);
    const shown = place(isItem ? paint('cyan', BULLET.test(text) ? '•' : text) : formatted(text));
    // An item is wrapped to where its text begins, other text to where it began.
    line.indent = Math.min(isItem ? line.column + 1 : begun, Math.floor(room() / 2));
    return shown;
  };

  const flush = (): string => {
    if (word === '') return '';
    const text = word;
    word = '';
    if (line.isFence) return '';
    if (line.isHeading && !line.isBegun) spaces = '';
    return line.isBegun || line.isHeading ? place(formatted(text)) : first(text);
  };

  const breakLine = (): string => {
    // A line may end with two characters, of which the first came with an earlier piece.
    word = word.replace(/\r$/, '');
    const shown = flush();
    const { isFence } = line;
    line = newLine();
    spaces = '';
    return isFence ? shown : `${shown}\n`;
  };

  return {
    add(text) {
      let shown = '';
      for (const [part] of text.matchAll(/\n|[ \t]+|[^ \t\n]+/g)) {
        if (part === '\n') shown += breakLine();
        else if (/^[ \t]/.test(part)) {
          shown += flush();
          spaces += part.replaceAll('\t', '    ');
        } else {
          word += part;
          if (word.length > MAX_WORD) shown += flush();
        }
      }
      return shown;
    },
    end() {
      const shown = flush();
      line = newLine();
      spaces = '';
      fence = undefined;
      return shown;
    },
  };
}
