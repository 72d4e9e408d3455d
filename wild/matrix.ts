// The matrix of a run, as text and as Markdown.
import { type Cell, cellText, NONE } from './cell.ts';

/** One row: a program of others, and what came of each column. */
export interface Line {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly cells: ReadonlyMap<string, Cell>;
  /** Why a cell that is not `ok` is right. */
  readonly because?: string;
}

function escape(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');
}

/** A Markdown table, and below it why what is not `ok` is right. */
export function markdown(columns: readonly string[], lines: readonly Line[]): string {
  const head = ['', 'package', 'version', ...columns];
  const rows = lines.map(({ name, package: from, version, cells }) => [
    name,
    from,
    version,
    ...columns.map((column) => escape(cellText(cells.get(column) ?? NONE))),
  ]);
  const table = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  const reasons = lines.flatMap(({ name, because }) => (because === undefined ? [] : [`- ${name}: ${because}`]));
  return [...table, ...(reasons.length === 0 ? [] : ['', ...reasons])].join('\n');
}

/** Columns for a terminal: long cells are cut, as the lines above the matrix have shown them whole. */
export function plain(columns: readonly string[], lines: readonly Line[], most = 28): string {
  const cut = (text: string): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
  const rows = [
    ['', ...columns],
    ...lines.map(({ name, cells }) => [name, ...columns.map((column) => cut(cellText(cells.get(column) ?? NONE)))]),
  ];
  const sizes = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, at) => text.padEnd(sizes[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
