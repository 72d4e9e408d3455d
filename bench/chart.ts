// Some comparisons of a run as a picture: SVG, readable on light and on dark pages, with every value as text beside its bar.
import { measure, type Results, type Row, type Table } from './results.ts';

/** What is drawn, by its title in the run and by what stands above it. */
const PANELS = [
  ['http echo, stateless, 64 connections', 'HTTP, a call, stateless'],
  ['http echo, 2026-07-28, 64 connections', 'HTTP, a call, 2026-07-28'],
  ['http echo, in a session, 64 connections', 'HTTP, a call in a session'],
  ['http list of 200 tools, 2026-07-28, 64 connections', 'HTTP, a list of 200 tools'],
  ['http 50 steps of progress, 2026-07-28, 64 connections', 'HTTP, a call with 50 steps of progress'],
  ['http 1 MB, 2026-07-28, 4 connections', 'HTTP, a result of 1 MB'],
  ['stdio echo, 2026-07-28, 64 in flight', 'stdio, a call'],
  ['client over http, 64 in flight', 'A client, a call over HTTP'],
] as const;

const WIDTH = 960;
const COLUMNS = 2;
const PANEL_WIDTH = WIDTH / COLUMNS;
const BAR = { height: 14, gap: 5, left: 96, right: 132 };
const HEAD = 64;
const TITLE = 26;
/** Rows that every panel has room for. */
const ROWS = 7;
const PANEL_HEIGHT = TITLE + ROWS * (BAR.height + BAR.gap) + 18;

const STYLE = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
  .head { font-size: 16px; font-weight: 600; }
  .title { font-size: 13px; font-weight: 600; }
  .quiet { fill: #59636e; }
  .value { fill: #59636e; stroke: #ffffff; stroke-width: 4px; paint-order: stroke; }
  .bound { fill: #afb8c1; }
  .tenon { fill: #0969da; }
  .other { fill: #d4a72c; }
  .one { stroke: #59636e; stroke-dasharray: 2 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .value { fill: #9198a1; stroke: #0d1117; }
    .bound { fill: #656c76; }
    .tenon { fill: #4493f8; }
    .other { fill: #bb8009; }
    .one { stroke: #9198a1; }
  }`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function kindOf(server: string): string {
  return server === 'tenon' ? 'tenon' : isBound(server) ? 'bound' : 'other';
}
function isBound(server: string): boolean {
  return server === 'raw' || server === 'ceiling';
}

/** Bars of one comparison: how fast each is, the bare loop being 1. */
function panel({ rows, unit }: Table, title: string, x: number, y: number): string {
  const room = PANEL_WIDTH - BAR.left - BAR.right;
  const fastest = Math.max(1, ...rows.map(({ ofFloor = 0 }) => ofFloor));
  const scale = room / fastest;
  const bar = ({ server, value, ofFloor = 0 }: Row, index: number): string => {
    const top = y + TITLE + index * (BAR.height + BAR.gap);
    const width = Math.max(ofFloor * scale, 1);
    const label = `${ofFloor.toFixed(2)}  (${measure(value, unit)})`;
    return [
      `<text x="${place(x + BAR.left - 8)}" y="${place(top + 11)}" text-anchor="end">${escaped(server)}</text>`,
      `<rect class="${kindOf(server)}" x="${place(x + BAR.left)}" y="${place(top)}" width="${place(width)}" height="${BAR.height}" rx="2"/>`,
      `<text class="value" x="${place(x + BAR.left + width + 6)}" y="${place(top + 11)}">${escaped(label)}</text>`,
    ].join('\n');
  };
  const one = place(x + BAR.left + scale);
  const bottom = place(y + TITLE + rows.length * (BAR.height + BAR.gap));
  return [
    `<text class="title" x="${place(x + 8)}" y="${place(y + 14)}">${escaped(title)}</text>`,
    `<line class="one" x1="${one}" x2="${one}" y1="${place(y + TITLE - 4)}" y2="${bottom}"/>`,
    ...rows.map(bar),
  ].join('\n');
}

/** The picture of a run on one Node. */
export function chartOf({ tables, date, commit }: Results, node: string): string {
  const drawn = PANELS.flatMap(([title, shown]) => {
    const table = tables.find((each) => each.title === title && each.node === node);
    return table === undefined ? [] : [{ table, shown }];
  });
  const height = HEAD + Math.ceil(drawn.length / COLUMNS) * PANEL_HEIGHT;
  const head = `Speed of one processor on Node ${node.slice(1)}, a bare loop being 1. Longer is faster.`;
  const panels = drawn.map(({ table, shown }, index) =>
    panel(table, shown, (index % COLUMNS) * PANEL_WIDTH, HEAD + Math.floor(index / COLUMNS) * PANEL_HEIGHT),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(head)}">`,
    `<style>${STYLE}\n</style>`,
    `<text class="head" x="8" y="24">${escaped(head)}</text>`,
    `<text class="quiet" x="8" y="44">In brackets what a call costs. ${date.slice(0, 10)}, commit ${escaped(commit)}</text>`,
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}
