import { endOfLine, type Fields, type ReadSyntax } from './document.ts';
import { headersIn, type TomlHeader } from './toml-lines.ts';

/** Whether a table belongs to a server: its own table, or one nested in it. */
function isInside({ path }: TomlHeader, outer: readonly string[]): boolean {
  return outer.every((name, index) => path[index] === name);
}

/** The end of a table's own lines. Comments and empty lines after them belong to the next table. */
function endOfTable(text: string, headers: readonly TomlHeader[], index: number): number {
  const start = headers[index]!.offset;
  const lines = text.slice(start, headers[index + 1]?.offset ?? text.length).split(/(?<=\n)/);
  const last = lines.findLastIndex((line) => !/^\s*(?:#|$)/.test(line));
  return start + lines.slice(0, last + 1).join('').length;
}

/** Removes empty lines that would be left where a table was removed. */
function withoutGap(before: string, after: string): string {
  const rest = after.replace(/^(?:[ \t]*\r?\n)+/, '');
  return rest === ''
    ? before.replace(/(?:\r?\n)+$/, (end) => (before.trim() === '' ? '' : end.slice(0, end.indexOf('\n') + 1)))
    : before + rest;
}

/** Converts the objects of the parser to ordinary ones. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Loads the parser for TOML. It keeps no comments, so edits are made in the text: a table is inserted, replaced or removed. */
export async function loadToml(): Promise<ReadSyntax> {
  const { parse, stringify, TomlError } = await import('smol-toml');
  const dataOf = (text: string): Fields => {
    try {
      return plain(parse(text, { integersAsBigInt: 'asNeeded' })) as Fields;
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new Error(`it is not TOML (line ${error.line})`, { cause: error });
    }
  };
  return (text, member) => ({
    data: dataOf(text),
    splice(name, fields) {
      const eol = endOfLine(text);
      const headers = headersIn(text);
      const block = fields === undefined ? '' : stringify({ [member]: { [name]: fields } }).replaceAll(/\r?\n/g, eol);
      const own = headers.flatMap((header, index) => (isInside(header, [member, name]) ? [index] : []));
      const [first] = own;
      if (first === undefined) {
        if (fields === undefined) return undefined;
        const last = headers.findLastIndex((header) => isInside(header, [member]));
        const place = last === -1 ? text.length : endOfTable(text, headers, last);
        const before = text.slice(0, place);
        const gap = before.trim() === '' ? '' : before.endsWith('\n') ? eol : `${eol}${eol}`;
        return `${before}${gap}${block.trimEnd()}${eol}${text.slice(place)}`;
      }
      // From the last to the first, so that the offsets of the others stay valid.
      let changed = text;
      for (const index of own.toReversed()) {
        const { offset } = headers[index]!;
        const end = endOfTable(text, headers, index);
        const [before, after] = [changed.slice(0, offset), changed.slice(end)];
        changed =
          index === first && fields !== undefined
            ? `${before}${block.trimEnd()}${eol}${after}`
            : withoutGap(before, after);
      }
      return changed;
    },
  });
}
