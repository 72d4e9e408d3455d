import { shown } from '../../protocol/text.ts';
import { ANY, CLASS_ESCAPES, property, single, union } from './char-set.ts';
import type { CharSet } from './char-set.ts';

/** The syntax tree of a pattern, without captures: only whether it matches is needed. */
export type Tree =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly Tree[] }
  | { readonly kind: 'either'; readonly options: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly item: Tree; readonly min: number; readonly max: number }
  | { readonly kind: 'assertion'; readonly what: Assertion }
  | { readonly kind: 'ahead'; readonly item: Tree; readonly negated: boolean };

/** The assertions that depend on the two characters around a position. */
export type Assertion = 'start' | 'end' | 'boundary' | 'noBoundary';

/** A pattern that is not a regular expression, or is `refused` because it cannot be matched in linear time. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  readonly refused: boolean;

  constructor(message: string, refused = false) {
    super(message);
    this.refused = refused;
  }
}

const MAX_LENGTH = 10_000;
const MAX_NESTING = 100;

interface Source {
  readonly text: string;
  at: number;
  nesting: number;
}

/**
 * Parses an ECMA-262 pattern as with the `u` flag (characters are code points). As without that flag, a needless backslash before
 * punctuation and a literal `{`, `}` or `]` are allowed, because existing schemas contain them. Throws a `PatternError` for any other
 * syntax error, and for features that no linear-time matcher supports: backreferences, lookbehind.
 */
export function parsePattern(text: string): Tree {
  if (text.length > MAX_LENGTH) throw new PatternError(`it is longer than ${MAX_LENGTH} characters`, true);
  const source: Source = { text, at: 0, nesting: 0 };
  const tree = alternatives(source);
  if (source.at < text.length) throw new PatternError("it has a ')' without '('");
  return tree;
}

function alternatives(source: Source): Tree {
  const options = [sequence(source)];
  while (source.text[source.at] === '|') {
    source.at += 1;
    options.push(sequence(source));
  }
  return options.length === 1 ? options[0]! : { kind: 'either', options };
}

function sequence(source: Source): Tree {
  const items: Tree[] = [];
  for (;;) {
    const next = source.text[source.at];
    if (next === undefined || next === '|' || next === ')') break;
    items.push(quantified(source));
  }
  return items.length === 1 ? items[0]! : { kind: 'sequence', items };
}

function quantified(source: Source): Tree {
  const item = atom(source);
  const range = quantifier(source);
  if (range === undefined) return item;
  if (item.kind === 'assertion' || item.kind === 'ahead') throw new PatternError('it repeats an assertion');
  return { kind: 'repeat', item, min: range[0], max: range[1] };
}

const SIMPLE_QUANTIFIERS: ReadonlyMap<string | undefined, readonly [number, number]> = new Map([
  ['*', [0, Infinity]],
  ['+', [1, Infinity]],
  ['?', [0, 1]],
]);
const COUNTED = /\{(\d+)(,(\d*))?\}/y;

function quantifier(source: Source): readonly [number, number] | undefined {
  const simple = SIMPLE_QUANTIFIERS.get(source.text[source.at]);
  let range = simple;
  if (simple !== undefined) source.at += 1;
  else range = counted(source);
  // `*?` differs from `*` only in captures.
  if (range !== undefined && source.text[source.at] === '?') source.at += 1;
  return range;
}

function counted(source: Source): readonly [number, number] | undefined {
  COUNTED.lastIndex = source.at;
  const match = COUNTED.exec(source.text);
  if (match === null) return undefined;
  source.at = COUNTED.lastIndex;
  const min = Number(match[1]);
  const max = match[2] === undefined ? min : match[3] === '' ? Infinity : Number(match[3]);
  if (max < min) throw new PatternError(`the numbers of ${match[0]} are out of order`);
  return [min, max];
}

function atom(source: Source): Tree {
  const next = source.text[source.at]!;
  switch (next) {
    case '(':
      return group(source);
    case '[':
      return { kind: 'set', set: characterClass(source) };
    case '\\':
      return escape(source);
    case '.':
      source.at += 1;
      return { kind: 'set', set: ANY };
    case '^':
    case '$':
      source.at += 1;
      return { kind: 'assertion', what: next === '^' ? 'start' : 'end' };
    case '*':
    case '+':
    case '?':
      throw new PatternError(`it has nothing to repeat before '${next}'`);
    default:
      if (next === '{' && counted(source) !== undefined) throw new PatternError("it has nothing to repeat before '{'");
      return { kind: 'set', set: single(takePoint(source)) };
  }
}

const GROUP_START = /\((\?(?::|[=!]|<[=!]|<[A-Za-z_$][\w$]*>))?(?!\?)/y;

function group(source: Source): Tree {
  GROUP_START.lastIndex = source.at;
  const start = GROUP_START.exec(source.text);
  if (start === null)
    throw new PatternError(`it has an unknown kind of group '${shown(source.text.slice(source.at, source.at + 4))}'`);
  const kind = start[1];
  if (kind === '?<=' || kind === '?<!') throw new PatternError('it looks behind', true);
  source.nesting += 1;
  if (source.nesting > MAX_NESTING) throw new PatternError(`its groups are nested more than ${MAX_NESTING} deep`, true);
  source.at = GROUP_START.lastIndex;
  const item = alternatives(source);
  if (source.text[source.at] !== ')') throw new PatternError("it has a '(' without ')'");
  source.at += 1;
  source.nesting -= 1;
  if (kind === '?=' || kind === '?!') return { kind: 'ahead', item, negated: kind === '?!' };
  // A group with an assertion may be repeated, an assertion itself may not.
  return item.kind === 'assertion' || item.kind === 'ahead' ? { kind: 'sequence', items: [item] } : item;
}

function escape(source: Source): Tree {
  const letter = source.text[source.at + 1];
  if (letter === 'b' || letter === 'B') {
    source.at += 2;
    return { kind: 'assertion', what: letter === 'b' ? 'boundary' : 'noBoundary' };
  }
  if (letter === 'k' || (letter !== undefined && letter >= '1' && letter <= '9'))
    throw new PatternError('it refers back to a group', true);
  const chars = escaped(source);
  return { kind: 'set', set: typeof chars === 'number' ? single(chars) : chars };
}

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);
const NUMERIC_ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u\{0*([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|c([A-Za-z])|(0)(?!\d))/y;
const LOW_SURROGATE = /\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y;
const PROPERTY = /\\([pP])\{([^}]*)\}/y;

/** An escape for a code point or a set, inside or outside of `[...]`. */
function escaped(source: Source): number | CharSet {
  const letter = source.text[source.at + 1];
  if (letter === undefined) throw new PatternError('it ends with a backslash');
  const chars = CLASS_ESCAPES.get(letter) ?? CONTROLS.get(letter);
  if (chars !== undefined) {
    source.at += 2;
    return chars;
  }
  if (letter === 'p' || letter === 'P') return propertyEscape(source);
  const numeric = take(source, NUMERIC_ESCAPE);
  if (numeric !== null) return numericEscape(source, numeric);
  if (/[\w]/.test(letter)) throw new PatternError(`it has an unknown escape '\\${letter}'`);
  source.at += 1;
  return takePoint(source);
}

function numericEscape(source: Source, [, hex, braced, unit, control]: RegExpExecArray): number {
  if (control !== undefined) return control.charCodeAt(0) % 32;
  const point = Number.parseInt(hex ?? braced ?? unit ?? '0', 16);
  if (point > 0x10ffff) throw new PatternError('it names a character beyond Unicode');
  if (unit === undefined || point < 0xd800 || point > 0xdbff) return point;
  const low = take(source, LOW_SURROGATE);
  return low === null ? point : 0x10000 + ((point - 0xd800) << 10) + (Number.parseInt(low[1]!, 16) - 0xdc00);
}

function propertyEscape(source: Source): CharSet {
  const match = take(source, PROPERTY);
  const chars = match === null ? undefined : property(match[2]!, match[1] === 'P');
  if (chars === undefined) throw new PatternError('it names an unknown Unicode property');
  return chars;
}

function characterClass(source: Source): CharSet {
  const from = source.at;
  source.at += 1;
  const negated = source.text[source.at] === '^';
  if (negated) source.at += 1;
  const ranges: number[] = [];
  const members: CharSet[] = [];
  while (source.text[source.at] !== ']') {
    const first = classAtom(source);
    const last = rangeEnd(source, first);
    if (typeof first !== 'number') members.push(first);
    else ranges.push(first, last ?? first);
  }
  source.at += 1;
  return union(source.text.slice(from, source.at), negated, ranges, members);
}

/** The end of a range that begins with `first`; undefined if it is not a range: `[a-]`, `[\w-.]`. */
function rangeEnd(source: Source, first: number | CharSet): number | undefined {
  const { at, text } = source;
  if (typeof first !== 'number' || text[at] !== '-' || text[at + 1] === ']') return undefined;
  source.at += 1;
  const last = classAtom(source);
  if (typeof last !== 'number') {
    source.at = at;
    return undefined;
  }
  if (last < first) throw new PatternError(`the range '${shown(text.slice(at - 1, source.at))}' is out of order`);
  return last;
}

function classAtom(source: Source): number | CharSet {
  const next = source.text[source.at];
  if (next === undefined) throw new PatternError("it has a '[' without ']'");
  if (next !== '\\') return takePoint(source);
  if (source.text[source.at + 1] === 'b') {
    source.at += 2;
    return 0x08;
  }
  return escaped(source);
}

function takePoint(source: Source): number {
  const point = source.text.codePointAt(source.at);
  if (point === undefined) throw new PatternError('it ends too early');
  source.at += point > 0xffff ? 2 : 1;
  return point;
}

function take(source: Source, shape: RegExp): RegExpExecArray | null {
  shape.lastIndex = source.at;
  const match = shape.exec(source.text);
  if (match !== null) source.at = shape.lastIndex;
  return match;
}
