// The parts of docs/performance.md that are made of figures, as Markdown.
import {
  FLAT,
  figure,
  type GrowthLine,
  type GrowthResults,
  growthOf,
  measure,
  median,
  type Results,
  type Row,
  sizesOf,
  type Table,
} from './results.ts';

export type Blocks = ReadonlyMap<string, string>;

/** Two servers whose costs differ by less are taken to cost the same. */
const TIE = 0.05;
/** Needing so many times what the ceiling needs is worth a line. */
const FAR = 2;
const BOUNDS = ['raw', 'raw-zod', 'ceiling'];

function versionOf(node: string): string {
  return `Node ${node.slice(1)}`;
}
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, ['---', ...head.slice(1).map(() => '--:')], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
function byNode(tables: readonly Table[]): Map<string, Table[]> {
  return Map.groupBy(tables, ({ node }) => node);
}
function orNothing(lines: readonly string[]): string {
  return lines.length === 0 ? 'Nothing.' : lines.join('\n');
}

function cellOf({ value, ofFloor, ofCeiling, overFloor }: Row, { unit, floor }: Table, server: string): string {
  if (unit !== 'µs') {
    const more = overFloor === undefined || server === floor ? '' : ` (+${figure(overFloor)})`;
    return `${measure(value, unit)}${more}`;
  }
  const shares = [ofFloor, ofCeiling].flatMap((share) => (share === undefined ? [] : [share.toFixed(2)]));
  return server === floor || shares.length === 0 ? figure(value) : `${figure(value)} (${shares.join(', ')})`;
}

/** Comparisons of one kind: a table for each Node, with a row for each comparison. */
function comparisons(tables: readonly Table[], prefix: string): string {
  return [...byNode(tables.filter(({ title }) => title.startsWith(prefix)))]
    .map(([node, found]) => {
      const servers = [...new Set(found.flatMap(({ rows }) => rows.map(({ server }) => server)))];
      const rows = found.map((table) => [
        table.title.slice(prefix.length).replace(/^[, ]+/, ''),
        ...servers.map((server) => {
          const row = table.rows.find((each) => each.server === server);
          return row === undefined ? '–' : cellOf(row, table, server);
        }),
      ]);
      return `**${versionOf(node)}**\n\n${tableOf(['', ...servers], rows)}`;
    })
    .join('\n\n');
}

function runBlock({ date, commit, machine, turns, calls, versions, tables }: Results): string {
  const nodes = [...byNode(tables).keys()].map(versionOf).join(' and ');
  const names = ['mcp-lite', 'tmcp', '@modelcontextprotocol/server', '@modelcontextprotocol/sdk', 'zod'];
  const others = names.map((name) => `${name} ${versions[name]}`).join(', ');
  const shares = tables.map((table) => table.busy);
  const [usual, most] = [median(shares), Math.max(...shares)].map((share) => Math.round(share * 100));
  return [
    `Measured on ${date.slice(0, 10)} at commit ${commit}, on ${nodes}: median of ${turns} turns, with up to ${calls.toLocaleString('en')} calls in all.`,
    `Machine: ${machine}. Just before a comparison, other programs kept ${usual} % of it busy (median; at most ${most} %).`,
    `Beside Tenon: ${others}.`,
  ].join('\n');
}

interface Rival {
  readonly where: string;
  readonly table: Table;
  readonly own: Row;
  readonly others: readonly Row[];
}

function rivalsOf(tables: readonly Table[]): Rival[] {
  return tables.flatMap((table) => {
    const own = table.rows.find(({ server }) => server === 'tenon');
    const others = table.rows.filter(({ server }) => !server.startsWith('tenon') && !BOUNDS.includes(server));
    const where = `${table.title}, ${versionOf(table.node)}`;
    return own === undefined ? [] : [{ where, table, own, others }];
  });
}

function line(where: string, rows: readonly Row[], { unit }: Table): string {
  return `- ${where}: ${rows.map(({ server, value }) => `${server} ${measure(value, unit)}`).join(', ')}`;
}

/** Comparisons in which another library costs less, or the same. */
function behind(tables: readonly Table[], isIt: (own: number, other: number) => boolean): string {
  return orNothing(
    rivalsOf(tables).flatMap(({ where, table, own, others }) => {
      const found = others.filter(({ value }) => isIt(own.value, value));
      return found.length === 0 ? [] : [line(where, [own, ...found], table)];
    }),
  );
}

function farBlock(tables: readonly Table[]): string {
  return orNothing(
    rivalsOf(tables).flatMap(({ where, table, own }) => {
      const ceiling = table.rows.find(({ server }) => server === 'ceiling');
      const isFar = ceiling !== undefined && own.ofCeiling !== undefined && own.ofCeiling * FAR < 1;
      return isFar ? [line(where, [own, ceiling], table)] : [];
    }),
  );
}

function growthBlock({ lines }: GrowthResults): string {
  return [...Map.groupBy(lines, ({ title, node }) => `${title}, ${versionOf(node)}`)]
    .map(([title, found]) => {
      const sizes = sizesOf(found);
      const cell = ({ points, unit }: GrowthLine, size: number): string => {
        const value = points.find((point) => point.size === size)?.value;
        return value === undefined ? '–' : measure(value, unit);
      };
      const rows = found.map((each) => {
        const growth = growthOf(each);
        const verdict = `× ${growth.toFixed(2)}${growth > FLAT ? ', grows' : ''}`;
        return [each.cost, ...sizes.map((size) => cell(each, size)), verdict];
      });
      const head = ['', ...sizes.map((size) => size.toLocaleString('en')), 'largest over least before'];
      return `**${title[0]!.toUpperCase()}${title.slice(1)}**\n\n${tableOf(head, rows)}`;
    })
    .join('\n\n');
}

/** The parts with figures of a comparison, by their names. */
export function comparisonBlocks(
  results: Results,
  pictures: readonly { readonly node: string; readonly path: string }[],
): Blocks {
  const { tables } = results;
  return new Map([
    ['run', runBlock(results)],
    [
      'charts',
      pictures.map(({ node, path }) => `![Speed on ${versionOf(node)}, as in the tables](${path})`).join('\n\n'),
    ],
    ['http', comparisons(tables, 'http')],
    ['stdio', comparisons(tables, 'stdio')],
    ['client', comparisons(tables, 'client')],
    ['memory', comparisons(tables, 'memory')],
    ['host', comparisons(tables, 'host.call')],
    ['start', comparisons(tables, 'start')],
    ['heap', comparisons(tables, 'heap')],
    ['less', behind(tables, (own, other) => other < own * (1 - TIE))],
    ['same', behind(tables, (own, other) => Math.abs(other / own - 1) <= TIE)],
    ['far', farBlock(tables)],
  ]);
}

/** The part with figures of growth. */
export function growthBlocks(growth: GrowthResults): Blocks {
  const { date, commit, rounds } = growth;
  const made = `Measured on ${date.slice(0, 10)} at commit ${commit}: median of ${rounds} rounds.`;
  return new Map([['growth', `${made}\n\n${growthBlock(growth)}`]]);
}
