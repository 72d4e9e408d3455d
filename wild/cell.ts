// One cell of the matrix: what came of one program with one other.

/** `ok`: it worked; `red`: something is broken; `unknown`: it failed, and nobody is named; `none`: there is nothing to try. */
export interface Cell {
  readonly mark: 'ok' | 'red' | 'unknown' | 'none';
  /** What was found, in few words. */
  readonly text: string;
}

export const NONE: Cell = { mark: 'none', text: '' };

export function ok(text = ''): Cell {
  return { mark: 'ok', text };
}

export function red(text: string): Cell {
  return { mark: 'red', text };
}

/** The cell as it is printed, and as it is compared with what is expected. */
export function cellText({ mark, text }: Cell): string {
  if (mark === 'none') return '-';
  return text === '' ? mark : `${mark}: ${text}`;
}

/** Is this what was expected? Without an expectation only `ok`, or nothing to try. */
export function isExpected(cell: Cell, expected: RegExp | undefined): boolean {
  if (expected !== undefined) return expected.test(cellText(cell));
  return cell.mark === 'ok' || cell.mark === 'none';
}

/** Text of others in one short line. */
export function short(text: string, most = 160): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
