import { stripVTControlCharacters, styleText } from 'node:util';
import { printable } from '../terminal/printable.ts';
import { width } from '../terminal/table.ts';
import { paint } from './paint.ts';

/** A fence around lines of code. */
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^#{1,6}$/;
const BULLET = /^[-*+]$/;
const NUMBER = /^\d{1,9}[.)]$/;
/** Bold begins before a letter or digit and ends after one, so that `**` in a file pattern is kept. */
const BOLD_BEGINS = /^([("'_]*)\*\*(?=[\p{L}\p{N}`"'(])/u;
const BOLD_ENDS = /(?<=[\p{L}\p{N}\p{P}])\*\*([)"'_.,;:!?]*)$/u;

/** Text is not wrapped to fewer columns. */
const MIN_COLUMNS = 20;
/** A longer word is shown although it may not be complete. */
const MAX_WORD = 2_000;

/** The state of the current line. */
interface Line {
  /** The number of used columns. */
  column: number;
  /** The indentation of wrapped lines, in columns. */
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

// Text of a model on a terminal: it arrives in pieces, is wrapped between words, and shows some Markdown as styles: headings, lists, bold
// and code. Only their marks are removed from the text.
/** Text that arrives in pieces. */
export class TextFlow {
  readonly #columns: () => number;
  #line = newLine();
  #word = '';
  #spaces = '';
  /** The fence of the code block that is being shown. */
  #fence: string | undefined;

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Adds a piece. Returns the part that can be shown: a word is shown when it is complete. */
  add(text: string): string {
    let shown = '';
    for (const [part] of text.matchAll(/\n|[ \t]+|[^ \t\n]+/g)) {
      if (part === '\n') shown += this.#breakLine();
      else if (/^[ \t]/.test(part)) {
        shown += this.#flush();
        this.#spaces += part.replaceAll('\t', '    ');
      } else {
        this.#word += part;
        if (this.#word.length > MAX_WORD) shown += this.#flush();
      }
    }
    return shown;
  }

  /** Returns the rest that was not shown yet. The next text begins a new line. */
  end(): string {
    const shown = this.#flush();
    this.#line = newLine();
    this.#spaces = '';
    this.#fence = undefined;
    return shown;
  }

  #room(): number {
    return Math.max(MIN_COLUMNS, this.#columns() - 1);
  }

  /** Shows text in the style of its place. */
  #styled(text: string): string {
    if (this.#line.isCode || this.#fence !== undefined) return paint('cyan', text);
    return this.#line.isBold || this.#line.isHeading ? paint('bold', text) : printable(text);
  }

  /** Styles code and other parts. The marks of code are kept, because colour alone may not show it. */
  #withCode(text: string): string {
    return text
      .split(/(`+)/)
      .map((part) => {
        if (!part.startsWith('`')) return part === '' ? '' : this.#styled(part);
        this.#line.isCode = !this.#line.isCode;
        return styleText('dim', part, { validateStream: false });
      })
      .join('');
  }

  /** The text of a word, without the marks of bold text. */
  #formatted(text: string): string {
    if (this.#fence !== undefined) return this.#styled(text);
    const begins = !this.#line.isCode && !this.#line.isBold && BOLD_BEGINS.test(text);
    if (begins) this.#line.isBold = true;
    const opened = begins ? text.replace(BOLD_BEGINS, '$1') : text;
    const ends = this.#line.isBold && BOLD_ENDS.test(opened);
    const shown = this.#withCode(ends ? opened.replace(BOLD_ENDS, '$1') : opened);
    if (ends) this.#line.isBold = false;
    return shown;
  }

  /** Shows a word, on the next line if there is no room for it. */
  #place(shown: string): string {
    const size = width(stripVTControlCharacters(shown));
    const gap = width(this.#spaces);
    const isWrapped =
      this.#fence === undefined && this.#line.isBegun && gap > 0 && this.#line.column + gap + size > this.#room();
    const before = isWrapped ? `\n${' '.repeat(this.#line.indent)}` : this.#spaces;
    this.#line.column = (isWrapped ? this.#line.indent : this.#line.column + gap) + size;
    this.#line.isBegun = true;
    this.#spaces = '';
    return before + shown;
  }

  /** Shows the first word of a line, which may be a mark. */
  #first(text: string): string {
    const [mark] = FENCE.exec(text) ?? [];
    if (this.#fence !== undefined) {
      if (mark === undefined || mark[0] !== this.#fence[0] || mark.length < this.#fence.length)
        return this.#place(this.#styled(text));
      this.#fence = undefined;
      this.#line.isFence = true;
      return '';
    }
    if (mark !== undefined) {
      this.#fence = mark;
      this.#line.isFence = true;
      return '';
    }
    if (HEADING.test(text)) {
      this.#line.isHeading = true;
      this.#spaces = '';
      return '';
    }
    const isItem = BULLET.test(text) || NUMBER.test(text);
    const begun = width(this.#spaces);
    const shown = this.#place(isItem ? paint('cyan', BULLET.test(text) ? '•' : text) : this.#formatted(text));
    // A list item is indented to the start of its text, other text to the start of its line.
    this.#line.indent = Math.min(isItem ? this.#line.column + 1 : begun, Math.floor(this.#room() / 2));
    return shown;
  }

  #flush(): string {
    if (this.#word === '') return '';
    const text = this.#word;
    this.#word = '';
    if (this.#line.isFence) return '';
    if (this.#line.isHeading && !this.#line.isBegun) this.#spaces = '';
    return this.#line.isBegun || this.#line.isHeading ? this.#place(this.#formatted(text)) : this.#first(text);
  }

  #breakLine(): string {
    // The first character of a CRLF line break may have come with an earlier piece.
    this.#word = this.#word.replace(/\r$/, '');
    const shown = this.#flush();
    const { isFence } = this.#line;
    this.#line = newLine();
    this.#spaces = '';
    return isFence ? shown : `${shown}\n`;
  }
}
