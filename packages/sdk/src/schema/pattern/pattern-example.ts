import type { Budget } from '../budget.ts';
import { OverBudget, spend } from '../budget.ts';
import type { CharSet } from './char-set.ts';
import { contains } from './char-set.ts';
import { parsePattern, PatternError } from './parse.ts';
import type { Tree } from './parse.ts';
import { compilePattern, splitConditions } from './pattern.ts';

/** The length of an example, in code points, and its variant. */
export interface ExampleOptions {
  /** Default: 0. */
  readonly minLength?: number;
  /** Default: no limit. */
  readonly maxLength?: number;
  /** Another number gives another example, if there is one. Default: 0. */
  readonly seed?: number;
}

const MAX_STEPS = 500_000;
const TRIES = 24;
const MAX_LENGTH = 10_000;

/**
 * A text that matches a `pattern` of a schema; the match has been verified. Undefined if none was found, and for a pattern that
 * `patternProblem` reports as invalid or refused. Never throws.
 *
 * @example patternExample('^[A-Z]{3}-\\d{2}$') // 'ABC-12'
 */
export function patternExample(pattern: string, options: ExampleOptions = {}): string | undefined {
  const { minLength = 0, maxLength = MAX_LENGTH, seed = 0 } = options;
  if (minLength > Math.min(maxLength, MAX_LENGTH)) return undefined;
  const budget: Budget = { steps: MAX_STEPS };
  try {
    const matches = compilePattern(pattern, budget, { left: 10_000 });
    const { conditions, rest } = splitConditions(parsePattern(pattern));
    const wanted = conditions.filter(({ negated }) => !negated).map(({ item }) => item);
    for (let at = 0; at < TRIES; at += 1) {
      const writer: Writer = { turn: seed + at, extra: 0, remaining: MAX_LENGTH, budget, preferred: [] };
      // Lookaheads such as `(?=.*\d)` require characters that the rest only allows.
      writer.preferred = wanted.flatMap((item) => write({ ...writer, preferred: [] }, item));
      const text = writeFitting(writer, rest, minLength).join('');
      // A pattern without an end anchor also matches longer texts.
      for (const each of [text, text.padEnd(minLength, 'a'), text.padStart(minLength, 'a')]) {
        const length = Array.from(each).length;
        if (length >= minLength && length <= maxLength && matches(each, budget)) return each;
      }
    }
  } catch (error) {
    if (!(error instanceof PatternError || error instanceof OverBudget)) throw error;
  }
  return undefined;
}

interface Writer {
  /** The number of this attempt: each makes other choices. */
  turn: number;
  /** How many optional iterations of loops to write, in total. */
  extra: number;
  /** How many characters may still be written. */
  remaining: number;
  readonly budget: Budget;
  /** Characters to use where they are allowed, in order. */
  preferred: string[];
}

/** Writes the tree, with as many optional iterations of its loops as the minimum length requires. */
function writeFitting(writer: Writer, tree: Tree, minLength: number): string[] {
  const { preferred: wish } = writer;
  let text: string[] = [];
  for (let extra = wish.length; extra <= MAX_LENGTH; extra = extra * 2 + 1) {
    text = write(Object.assign(writer, { extra, room: MAX_LENGTH, wish: [...wish] }), tree);
    if (text.length < minLength) continue;
    // Once it is known to be possible, no longer than necessary.
    for (let less = minLength - text.length + extra; less > 0 && less < extra; less += 1) {
      const shorter = write(Object.assign(writer, { extra: less, room: MAX_LENGTH, wish: [...wish] }), tree);
      if (shorter.length >= minLength) return shorter;
    }
    return text;
  }
  return text;
}

function write(writer: Writer, tree: Tree): string[] {
  spend(writer.budget, 1);
  switch (tree.kind) {
    case 'set':
      return [character(writer, tree.set)];
    case 'sequence':
      return tree.items.flatMap((item) => write(writer, item));
    case 'either':
      return write(writer, tree.options[writer.turn % tree.options.length]!);
    case 'repeat': {
      const extra = Math.min(tree.max - tree.min, writer.extra);
      writer.extra -= extra;
      const text: string[] = [];
      // An optional part is left out at first, and written at every second attempt.
      const times = Math.min(tree.min + extra + (tree.min === 0 && extra === 0 ? writer.turn % 2 : 0), tree.max);
      for (let count = 0; count < times && writer.remaining > 0; count += 1) text.push(...write(writer, tree.item));
      return text;
    }
    case 'assertion':
    case 'ahead':
      return [];
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABETS = [LOWER.toUpperCase(), LOWER, '1234567890', '-_. /:@#+!,é中😀'].map((signs) => Array.from(signs));
/** The characters written for a set that contains everything. */
const ANYTHING = [LOWER, 'A1-'].flatMap((signs) => Array.from(signs));

/** A character of a set: a wished one, else the next of a familiar alphabet. */
function character(writer: Writer, set: CharSet): string {
  writer.remaining -= 1;
  const at = MAX_LENGTH - writer.remaining - 1 + writer.turn;
  const has = (sign: string | undefined): boolean => {
    spend(writer.budget, 1);
    return sign !== undefined && contains(set, sign.codePointAt(0)!);
  };
  if (has(writer.preferred[0])) return writer.preferred.shift()!;
  const broad = has('a') && has('A') && has('1');
  const familiar = broad ? ANYTHING[at % ANYTHING.length]! : undefined;
  if (has(familiar)) return familiar!;
  for (let shift = 0; shift < ALPHABETS.length; shift += 1) {
    const signs = ALPHABETS[(shift + (writer.turn >> 2)) % ALPHABETS.length]!;
    for (let step = 0; step < signs.length; step += 1) {
      const sign = signs[(at + step) % signs.length]!;
      if (has(sign)) return sign;
    }
  }
  return anyOf(set, writer.budget);
}

/** Any character of a set that contains no familiar one. */
function anyOf(set: CharSet, budget: Budget): string {
  const candidates = [set, ...set.members].flatMap(({ ranges }) => ranges.flatMap((point) => [point, point + 1]));
  for (let point = 0x20; point < 0x3000; point += 1) candidates.push(point);
  for (const point of candidates) {
    spend(budget, 1);
    if (point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) && contains(set, point))
      return String.fromCodePoint(point);
  }
  return '';
}
