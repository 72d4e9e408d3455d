/** A set of code points: the union of ranges, other sets and at most one Unicode property, possibly negated. */
export interface CharSet {
  /** Equal keys mean equal sets. */
  readonly key: string;
  readonly negated: boolean;
  /** Pairs of first and last code point. */
  readonly ranges: readonly number[];
  readonly members: readonly CharSet[];
  readonly property: RegExp | undefined;
}

function set(key: string, ranges: readonly number[], negated = false): CharSet {
  return {
    key,
    negated,
    ranges,
    members: [],
    property: undefined,
  };
}

const DIGITS = [0x30, 0x39];
const WORD = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
// ECMA-262 WhiteSpace and LineTerminator
const SPACE = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f,
  0x3000, 0x3000, 0xfeff, 0xfeff,
];

/** The sets of `\d \D \w \W \s \S` by letter. */
export const CLASS_ESCAPES: ReadonlyMap<string, CharSet> = new Map(
  (
    [
      ['d', DIGITS],
      ['w', WORD],
      ['s', SPACE],
    ] as const
  ).flatMap(([letter, ranges]) => [
    [letter, set(`\\${letter}`, ranges)],
    [letter.toUpperCase(), set(`\\${letter.toUpperCase()}`, ranges, true)],
  ]),
);

/** `.`: everything but line terminators. */
export const ANY: CharSet = set('.', [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029], true);

/** The set of one code point. */
export function single(point: number): CharSet {
  return set(`=${point}`, [point, point]);
}

/** `[...]`; `key` is its source text. */
export function union(key: string, negated: boolean, ranges: number[], members: CharSet[]): CharSet {
  return {
    key,
    negated,
    ranges,
    members,
    property: undefined,
  };
}

const properties = new Map<string, RegExp | undefined>();
const PROPERTY_NAME = /^[A-Za-z0-9_]{1,64}(?:=[A-Za-z0-9_]{1,64})?$/;

/** `\p{name}` or `\P{name}`; undefined if Unicode has no such property. Uses the engine's own tables, one code point at a time. */
export function property(name: string, negated: boolean): CharSet | undefined {
  if (!PROPERTY_NAME.test(name)) return undefined;
  let tester = properties.get(name);
  if (tester === undefined) {
    try {
      tester = new RegExp(`^\\p{${name}}$`, 'u');
    } catch {
      return undefined;
    }
    properties.set(name, tester); // bounded: only names the engine knows get here
  }
  return { key: `\\${negated ? 'P' : 'p'}{${name}}`, negated, ranges: [], members: [], property: tester };
}

/** Is the code point in the set? */
export function contains(chars: CharSet, point: number): boolean {
  let found = false;
  const { ranges } = chars;
  for (let at = 0; at < ranges.length && !found; at += 2) found = point >= ranges[at]! && point <= ranges[at + 1]!;
  if (!found && chars.members.length > 0) found = chars.members.some((member) => contains(member, point));
  if (!found && chars.property !== undefined) found = chars.property.test(String.fromCodePoint(point));
  return found !== chars.negated;
}

/** The work of one `contains`, in steps. */
export function weight(chars: CharSet): number {
  return chars.members.reduce(
    (sum, member) => sum + weight(member),
    1 + (chars.ranges.length >> 2) + (chars.property === undefined ? 0 : 4),
  );
}

/** Does the code point match `\w`, for `\b`? */
export function isWord(point: number): boolean {
  return (
    (point >= 0x61 && point <= 0x7a) ||
    (point >= 0x41 && point <= 0x5a) ||
    (point >= 0x30 && point <= 0x39) ||
    point === 0x5f
  );
}
