import { listed, quoted } from '../values/words.ts';
import type { ChangeLog } from './change.ts';
import type { Kind, Shape } from '../values/schema/shape.ts';

/** A lower or upper bound, and the kinds of values that it restricts. */
interface Row {
  readonly least: string;
  readonly most: string;
  readonly kinds: readonly Kind[];
}

const COUNTS: readonly Row[] = [
  { least: 'minLength', most: 'maxLength', kinds: ['string'] },
  { least: 'minItems', most: 'maxItems', kinds: ['array'] },
  { least: 'minProperties', most: 'maxProperties', kinds: ['object'] },
];

/** Compares numbers, lengths, counts, patterns and formats. */
export function compareBounds(a: Shape, b: Shape, path: string, log: ChangeLog): void {
  const both = (...kinds: readonly Kind[]): boolean => kinds.some((kind) => a.kinds.has(kind) && b.kinds.has(kind));
  if (both('integer', 'fraction')) {
    compareNumbers(a, b, path, log);
    compareDivisors(a, b, path, log);
  }
  for (const { least, most, kinds } of COUNTS) {
    if (!both(...kinds)) continue;
    logBound(log, `${path}/${least}`, least, a.bounds.get(least) ?? 0, b.bounds.get(least) ?? 0, 1);
    logBound(log, `${path}/${most}`, most, a.bounds.get(most) ?? Infinity, b.bounds.get(most) ?? Infinity, -1);
  }
  if (both('array') && a.unique !== b.unique)
    log.add(
      b.unique ? 'bounds-tightened' : 'bounds-loosened',
      `${path}/uniqueItems`,
      b.unique ? 'No two items may be equal' : 'Two items may be equal',
    );
  if (both('string')) compareTexts(a, b, path, log);
}

/** `sign` is 1 for a lower bound, -1 for an upper one. */
function logBound(log: ChangeLog, at: string, keyword: string, before: number, after: number, sign: 1 | -1): void {
  if (before === after) return;
  const tighter = (after - before) * sign > 0;
  const [was, is] = [before, after].map((bound) => (Number.isFinite(bound) ? String(bound) : 'nothing'));
  log.add(tighter ? 'bounds-tightened' : 'bounds-loosened', at, `${keyword} was ${was} and is ${is}`, {
    before: finite(before),
    after: finite(after),
  });
}

function finite(bound: number): number | undefined {
  return Number.isFinite(bound) ? bound : undefined;
}

interface Edge {
  readonly at: number;
  /** The number itself is excluded. */
  readonly open: boolean;
}

function compareNumbers(a: Shape, b: Shape, path: string, log: ChangeLog): void {
  const whole = !a.kinds.has('fraction') && !b.kinds.has('fraction');
  for (const [keyword, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    const [before, after] = [a, b].map(({ bounds }) =>
      edgeOf(bounds.get(keyword), bounds.get(exclusive), sign, whole),
    ) as [Edge, Edge];
    if (before.at === after.at && before.open === after.open) continue;
    const tighter = before.at === after.at ? after.open : (after.at - before.at) * sign > 0;
    const [was, is] = [before, after].map((edge) => shownEdge(edge, sign));
    log.add(
      tighter ? 'bounds-tightened' : 'bounds-loosened',
      `${path}/${keyword}`,
      `A number was ${was} and is ${is}`,
      { before: finite(before.at), after: finite(after.at) },
    );
  }
}

/** The stricter of the two keywords. For integers always inclusive: above 0 means from 1. */
function edgeOf(closed: number | undefined, open: number | undefined, sign: 1 | -1, whole: boolean): Edge {
  const none = -Infinity * sign;
  const [inside, outside] = [closed ?? none, open ?? none];
  const edge =
    (outside - inside) * sign >= 0 && outside !== none ? { at: outside, open: true } : { at: inside, open: false };
  if (!whole || !Number.isFinite(edge.at)) return edge;
  const first = sign === 1 ? Math.ceil(edge.at) : Math.floor(edge.at);
  return { at: edge.open && first === edge.at ? first + sign : first, open: false };
}

function shownEdge({ at, open }: Edge, sign: 1 | -1): string {
  if (!Number.isFinite(at)) return 'not bounded';
  return `${sign === 1 ? '>' : '<'}${open ? '' : '='} ${at}`;
}

function compareDivisors(a: Shape, b: Shape, path: string, log: ChangeLog): void {
  const [before, after] = [[...a.divisors].sort(), [...b.divisors].sort()];
  if (before.join() === after.join()) return;
  const isMultiple = (many: readonly number[], few: readonly number[]): boolean =>
    few.every((divisor) => many.some((each) => Number.isInteger(each / divisor)));
  const kind = isMultiple(after, before)
    ? 'bounds-tightened'
    : isMultiple(before, after)
      ? 'bounds-loosened'
      : 'bounds-changed';
  const shown = (divisors: readonly number[]): string => (divisors.length === 0 ? 'nothing' : divisors.join(' and '));
  log.add(kind, `${path}/multipleOf`, `multipleOf was ${shown(before)} and is ${shown(after)}`, {
    before: before[0],
    after: after[0],
  });
}

function compareTexts(a: Shape, b: Shape, path: string, log: ChangeLog): void {
  const lost = [...a.patterns].filter((pattern) => !b.patterns.has(pattern));
  const fresh = [...b.patterns].filter((pattern) => !a.patterns.has(pattern));
  const shown = (patterns: readonly string[]): string => listed(patterns.map((pattern) => quoted(pattern, 60)));
  const at = `${path}/pattern`;
  const values = { before: lost[0], after: fresh[0] };
  if (lost.length > 0 && fresh.length > 0)
    log.add(
      'undecided',
      at,
      `The pattern was ${shown(lost)} and is ${shown(fresh)}: whether it lets more or less through is not decided here`,
      values,
    );
  else if (fresh.length > 0) log.add('bounds-tightened', at, `There is a pattern: ${shown(fresh)}`, values);
  else if (lost.length > 0) log.add('bounds-loosened', at, `The pattern ${shown(lost)} is gone`, values);
  const [before, after] = [[...a.formats].sort().join(), [...b.formats].sort().join()];
  if (before !== after)
    log.add(
      'format-changed',
      `${path}/format`,
      `The format was ${before === '' ? 'none' : quoted(before, 60)} and is ${after === '' ? 'none' : quoted(after, 60)}`,
      { before: before || undefined, after: after || undefined },
    );
}
