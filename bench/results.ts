// What a run has found out, as it is written to a file, printed, drawn and put on the page.
export interface Sample {
  readonly value: number;
  readonly perSecond?: number;
}

/** `µs` of processor time for a call, `ms` of waiting, `bytes` of heap. */
export type Unit = 'µs' | 'ms' | 'bytes';

/** One server in one comparison. */
export interface Row {
  readonly server: string;
  /** One for each turn. */
  readonly samples: readonly Sample[];
  /** Median of the turns. */
  readonly value: number;
  readonly perSecond?: number;
  /** What the floor and the ceiling need, divided by what it needs: median of the turns, each compared with the same turn of the other. */
  readonly ofFloor?: number;
  readonly ofCeiling?: number;
  /** What it needs more than the floor, in the unit: median of the turns. */
  readonly overFloor?: number;
}

/** Servers side by side, on one Node. */
export interface Table {
  readonly title: string;
  readonly node: string;
  readonly unit: Unit;
  readonly floor?: string;
  readonly ceiling?: string;
  readonly rows: readonly Row[];
  /** Part of the processors that was busy just before, with something else. */
  readonly busy: number;
}

/** Where and with what a run was made. */
export interface Environment {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
}

export interface Results extends Environment {
  readonly format: 1;
  /** How often each server was measured. */
  readonly turns: number;
  /** Most calls of a server in all turns. */
  readonly calls: number;
  /** Too few turns or calls for the figures to mean anything. */
  readonly smoke: boolean;
  /** Nothing was left out, and nothing failed. */
  readonly complete: boolean;
  readonly tables: readonly Table[];
  readonly failures: readonly string[];
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The rows of a comparison from the samples of each server, as many as there were turns. */
export function rowsOf(
  samples: ReadonlyMap<string, readonly Sample[]>,
  { floor = '', ceiling = '' }: Pick<Table, 'floor' | 'ceiling'>,
): Row[] {
  const compared = (list: readonly Sample[], other: readonly Sample[] | undefined, how: typeof ratio) =>
    other === undefined ? undefined : median(list.map((sample, turn) => how(sample.value, other[turn]!.value)));
  return [...samples].map(([server, list]) => {
    const speeds = list.flatMap(({ perSecond }) => (perSecond === undefined ? [] : [perSecond]));
    const ofFloor = compared(list, samples.get(floor), ratio);
    const ofCeiling = compared(list, samples.get(ceiling), ratio);
    const overFloor = compared(list, samples.get(floor), difference);
    return {
      server,
      samples: list,
      value: median(list.map(({ value }) => value)),
      perSecond: speeds.length === 0 ? undefined : median(speeds),
      ofFloor,
      ofCeiling,
      overFloor,
    };
  });
}

function ratio(own: number, other: number): number {
  return other / own;
}
function difference(own: number, other: number): number {
  return own - other;
}

/** A figure with as many digits as mean something. */
export function figure(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** A value with its unit. */
export function measure(value: number, unit: Unit): string {
  return unit === 'bytes' && Math.abs(value) >= 1024 ? `${figure(value / 1024)} KB` : `${figure(value)} ${unit}`;
}

/** A table as lines of text. */
export function printed({ title, node, unit, floor, ceiling, rows }: Table): string {
  const lines = rows.map(({ server, value, perSecond, ofFloor, ofCeiling, overFloor }) => {
    const parts = [`${measure(value, unit).padStart(10)}${unit === 'µs' ? ' CPU per call' : ''}`];
    if (unit === 'µs' && ofFloor !== undefined) parts.push(`${ofFloor.toFixed(2)} of ${floor}`);
    if (unit === 'µs' && ofCeiling !== undefined) parts.push(`${ofCeiling.toFixed(2)} of the ${ceiling}`);
    if (unit !== 'µs' && overFloor !== undefined && server !== floor)
      parts.push(`${measure(overFloor, unit)} more than ${floor}`);
    if (perSecond !== undefined) parts.push(`${Math.round(perSecond).toLocaleString('en').padStart(7)} calls/s`);
    return `  ${server.padEnd(12)} ${parts.join(', ')}`;
  });
  return [`${title}, Node ${node.slice(1)}, median of ${rows[0]?.samples.length ?? 0}`, ...lines].join('\n');
}

/** One cost at growing sizes, on one Node. */
export interface GrowthLine {
  /** What there is more and more of. */
  readonly title: string;
  /** Of what it is the cost. */
  readonly cost: string;
  readonly node: string;
  readonly unit: 'µs' | 'bytes';
  readonly points: readonly { readonly size: number; readonly value: number }[];
}

export interface GrowthResults extends Environment {
  readonly format: 1;
  readonly rounds: number;
  readonly smoke: boolean;
  readonly complete: boolean;
  readonly lines: readonly GrowthLine[];
  readonly failures: readonly string[];
}

/** The cost at the largest size, over the least that a smaller one had: above 1 it grows. */
export function growthOf({ points }: GrowthLine): number {
  const before = points.slice(0, -1).map(({ value }) => value);
  return before.length === 0 ? 1 : points.at(-1)!.value / Math.max(Math.min(...before), 0.01);
}

/** More than this is more than the noise of a machine. */
export const FLAT = 2;

/** The sizes at which a curve was measured. */
export function sizesOf(lines: readonly GrowthLine[]): number[] {
  return [...new Set(lines.flatMap(({ points }) => points.map(({ size }) => size)))].toSorted((a, b) => a - b);
}

/** The costs of one curve on one Node, as lines of text. */
export function printedGrowth(lines: readonly GrowthLine[]): string {
  const [first] = lines;
  if (first === undefined) return '';
  const sizes = sizesOf(lines);
  const rows = lines.map((line) => {
    const found = sizes.map((size) => line.points.find((point) => point.size === size)?.value);
    const values = found.map((value) => (value === undefined ? '' : measure(value, line.unit)).padStart(12)).join('');
    const growth = growthOf(line);
    return `  ${line.cost.padEnd(30)}${values}   × ${growth.toFixed(2)}${growth > FLAT ? '  GROWS' : ''}`;
  });
  const head = sizes.map((size) => size.toLocaleString('en').padStart(12)).join('');
  return [`${first.title}, Node ${first.node.slice(1)}`, `${' '.repeat(32)}${head}`, ...rows].join('\n');
}
