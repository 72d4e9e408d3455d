// Tables of data in Markdown (GFM, 4.10). Layout tables are left to the rules for their contents.
import type Turndown from 'turndown';

/** A table with more cells is not written as one, because short rows are filled up to the longest. */
const MAX_CELLS = 100_000;

/** An element in the DOM of Turndown, whose lists have no iterator. */
interface TableElement {
  readonly nodeName: string;
  getAttribute(name: string): string | null;
  querySelector(selector: string): TableElement | null | undefined;
  querySelectorAll(selector: string): ArrayLike<TableElement>;
}

/** Elements that cannot be in a cell, because they need their own lines. */
const BLOCKS = 'table, pre, h1, h2, h3, h4, h5, h6, form';

function span(cell: TableElement, name: 'colspan' | 'rowspan'): number {
  const count = Number(cell.getAttribute(name) ?? 1);
  return Number.isInteger(count) && count >= 1 ? Math.min(count, 1_000) : 1;
}

interface Row {
  readonly isHeading: boolean;
  readonly cells: readonly string[];
}

/** Contents of a cell on one line. */
function inCell(markdown: string): string {
  return markdown
    .trim()
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s*\n\s*/g, '<br>');
}

/** The Markdown of an element. */
type Written = (element: TableElement) => string;

/** The rows. A cell that spans rows is repeated in each; one that spans columns is followed by empty cells. */
function rowsOf(table: TableElement, written: Written): Row[] | undefined {
  const rows: Row[] = [];
  /** For each column: the text of a cell above that extends into the next rows, and the number of these rows. */
  let above: { readonly text: string; readonly rows: number }[] = [];
  let count = 0;
  for (const row of Array.from(table.querySelectorAll('tr'))) {
    const cells: string[] = [];
    const next: typeof above = [];
    const extend = (): void => {
      for (let from = above[cells.length]; from !== undefined && from.rows > 0; from = above[cells.length]) {
        next[cells.length] = { text: from.text, rows: from.rows - 1 };
        cells.push(from.text);
      }
    };
    const own = Array.from(row.querySelectorAll('th, td'));
    for (const cell of own) {
      extend();
      const text = inCell(written(cell));
      const down = span(cell, 'rowspan') - 1;
      for (let column = span(cell, 'colspan'); column > 0; column--) {
        if (down > 0) next[cells.length] = { text, rows: down };
        cells.push(column === span(cell, 'colspan') ? text : '');
      }
      count += span(cell, 'colspan');
      if (count > MAX_CELLS) return undefined;
    }
    extend();
    above = next;
    if (cells.length > 0) rows.push({ isHeading: own.every(({ nodeName }) => nodeName === 'TH'), cells });
  }
  return rows;
}

/** A table of data as Markdown; undefined for a layout table, or one with too many cells. */
function tableOf(table: TableElement, written: Written): string | undefined {
  if (/^(?:none|presentation)$/.test(table.getAttribute('role') ?? '') || table.querySelector(BLOCKS) != null)
    return undefined;
  const rows = rowsOf(table, written);
  if (rows === undefined) return undefined;
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  if (width < 2 || width * rows.length > MAX_CELLS) return undefined;
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => cells[index] ?? '').join(' | ')} |`;
  // Every Markdown table has a heading row.
  const [first, ...rest] = rows;
  const [head, body] = first!.isHeading ? [first!.cells, rest] : [[], rows];
  const titled = table.querySelector('caption');
  const caption = titled == null ? '' : written(titled).trim();
  const lines = [line(head), line(Array.from({ length: width }, () => '---')), ...body.map(({ cells }) => line(cells))];
  return `${caption === '' ? '' : `${caption}\n\n`}${lines.join('\n')}`;
}

/** Adds the rules that write tables of data. */
export function addTables(writer: Turndown): void {
  // The rules for cells run before the rule for their table.
  const parts = new WeakMap<object, string>();
  writer.addRule('part of a table', {
    filter: ['td', 'th', 'caption'],
    replacement: (content, node) => {
      parts.set(node, content);
      return `\n\n${content}\n\n`;
    },
  });
  writer.addRule('table', {
    filter: 'table',
    replacement: (content, node) => {
      const table = tableOf(node as unknown as TableElement, (element) => parts.get(element) ?? '');
      return `\n\n${table ?? content}\n\n`;
    },
  });
}
