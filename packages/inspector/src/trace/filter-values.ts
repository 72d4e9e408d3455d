import { FilterProblem, type FilterValue } from './filter-words.ts';

/**
 * Returns a test for a glob: `*` matches any number of characters. It takes time linear in the length of the text, whatever the
 * pattern.
 */
function globOf(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  const first = parts[0]!;
  const last = parts.at(-1)!;
  const between = parts.slice(1, -1).filter((part) => part !== '');
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let place = first.length;
    for (const part of between) {
      const found = text.indexOf(part, place);
      if (found < 0 || found + part.length > end) return false;
      place = found + part.length;
    }
    return true;
  };
}

/** Matches the whole text. Case-sensitive, like the names of the protocol. */
export function wholeText({ text, quoted }: FilterValue): (given: string) => boolean {
  return quoted || !text.includes('*') ? (given) => given === text : globOf(text);
}

/** Matches any part of a text, which must be in lower case. */
export function partOfText({ text, quoted }: FilterValue): (lowerCase: string) => boolean {
  const wanted = text.toLowerCase();
  return quoted || !wanted.includes('*') ? (given) => given.includes(wanted) : globOf(`*${wanted}*`);
}

/** The units that may follow a number, with their factors. The empty name is the number alone. */
export type Units = ReadonlyMap<string, number>;
export const NO_UNITS: Units = new Map([['', 1]]);
export const TIMES: Units = new Map([
  ['', 1],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
]);
export const SIZES: Units = new Map([
  ['', 1],
  ['b', 1],
  ['k', 1_024],
  ['kb', 1_024],
  ['m', 1_024 ** 2],
  ['mb', 1_024 ** 2],
]);

const QUANTITY = /^(-?\d{1,15}(?:\.\d{1,9})?)([a-z]{0,5})$/i;
const COMPARISON = /^(>=|<=|>|<|=)?(.+)$/;

function quantityOf(text: string, units: Units): number | undefined {
  const [, number, unit] = QUANTITY.exec(text) ?? [];
  const factor = unit === undefined ? undefined : units.get(unit.toLowerCase());
  return factor === undefined ? undefined : Number(number) * factor;
}

/** `500`, `>500`, `<=1.5s`, `10..20` with both ends, `10..`, `..20`. Undefined for any other value. */
export function numbersOf({ text }: FilterValue, units: Units): ((given: number) => boolean) | undefined {
  const dots = text.indexOf('..');
  if (dots >= 0) {
    const [low, high] = [text.slice(0, dots), text.slice(dots + 2)];
    const least = low === '' ? -Infinity : quantityOf(low, units);
    const most = high === '' ? Infinity : quantityOf(high, units);
    if (least === undefined || most === undefined || (low === '' && high === '')) return undefined;
    return (given) => given >= least && given <= most;
  }
  const [, sign = '=', rest = ''] = COMPARISON.exec(text) ?? [];
  const limit = quantityOf(rest, units);
  if (limit === undefined) return undefined;
  if (sign === '>') return (given) => given > limit;
  if (sign === '>=') return (given) => given >= limit;
  if (sign === '<') return (given) => given < limit;
  if (sign === '<=') return (given) => given <= limit;
  return (given) => given === limit;
}

/** One of a few names. */
export function oneOf<T extends string>(key: string, names: readonly T[], value: FilterValue): T {
  const found = names.find((name) => name === value.text.toLowerCase());
  if (found === undefined) throw new FilterProblem(value.at, `${key}: is one of ${names.join(', ')}`);
  return found;
}
