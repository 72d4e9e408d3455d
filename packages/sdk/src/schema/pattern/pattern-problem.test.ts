import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../../scripts/lib/cpu-time.ts';
import fc from 'fast-check';
import { contains } from './char-set.ts';
import { parsePattern } from './parse.ts';
import type { Tree } from './parse.ts';
import { patternProblem } from './pattern-problem.ts';

function kindOf(pattern: string): string {
  return patternProblem(pattern)?.kind ?? 'fine';
}

test('a loop that can read the same text in two ways, and then fail, is exponential', () => {
  for (const pattern of [
    '^(a+)+$',
    '^(a*)*$',
    '^(a|a)*$',
    '^(a|ab|b)*$',
    '^(\\w+\\s?)*$',
    '^(.*,)*x$',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    '(x+x+)+y',
    '^(?=(a+)+$).*$',
    '^((a?)*)+b$',
    '^(é|[à-ü])+$',
  ])
    assert.equal(kindOf(pattern), 'exponential', pattern);
});

test('loops that can read a text in only one way are fine, and so are those after which nothing can fail', () => {
  for (const pattern of [
    '',
    'a+',
    '(a+)+',
    '^(a+b)+$',
    '^[a-z]+(-[a-z]+)*$',
    '^(a|b)*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(?:\\w+\\s)*$',
    '^[\\w.]+@[\\w.]+$',
    '^(?=.*\\d)(?!.*\\s).{8,}$',
    '^(ab?c)+$',
    '^(\\/[^/]+)+$',
    '^(a(ba)*|b)$',
  ])
    assert.equal(kindOf(pattern), 'fine', pattern);
});

/** The number of steps of a backtracking engine, at most `most`. */
function stepsOf(tree: Tree, text: string, most: number): number {
  let steps = 0;
  const over = new Error('over');
  const run = (item: Tree, at: number, then: (at: number) => boolean): boolean => {
    if (++steps > most) throw over;
    switch (item.kind) {
      case 'set':
        return at < text.length && contains(item.set, text.charCodeAt(at)) && then(at + 1);
      case 'assertion':
        return (item.what === 'start' ? at === 0 : at === text.length) && then(at);
      case 'sequence': {
        const each = (index: number, from: number): boolean =>
          index === item.items.length ? then(from) : run(item.items[index]!, from, (next) => each(index + 1, next));
        return each(0, at);
      }
      case 'either':
        return item.options.some((option) => run(option, at, then));
      case 'repeat': {
        const again = (count: number, from: number): boolean =>
          (count < item.max &&
            run(item.item, from, (next) => (next > from || count < item.min) && again(count + 1, next))) ||
          (count >= item.min && then(from));
        return again(0, at);
      }
      case 'ahead':
        throw new Error('not here');
    }
  };
  try {
    run(tree, 0, () => true);
  } catch (error) {
    if (error !== over) throw error;
  }
  return steps;
}

const STARTS = ['', 'a', 'b', 'ab', 'ba'];
/** All words of a and b of one to five letters. */
const WORDS = Array.from({ length: 62 }, (_, at) =>
  (at + 2).toString(2).slice(1).replaceAll('0', 'a').replaceAll('1', 'b'),
);
const MAX_STEPS = 300_000;

/** Is there a text for which the number of steps multiplies each time it grows by the same length? */
function explodes(tree: Tree): boolean {
  return STARTS.some((start) =>
    WORDS.some((word) => {
      const at = (count: number): number => stepsOf(tree, `${start}${word.repeat(count)}!`, MAX_STEPS);
      const [first, second] = [at(4), at(7)];
      if (second < MAX_STEPS && second < first * 4) return false;
      const third = at(10);
      return third >= MAX_STEPS || third / second > (second / first) * 0.8;
    }),
  );
}

test('property: the result agrees with a backtracking engine', () => {
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'xsmall', withCrossShrink: true },
      fc.constantFrom('a', 'b', '[ab]', 'ab'),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
      fc.tuple(tie('pattern'), fc.constantFrom('*', '+', '?')).map(([a, sign]) => `(${a})${sign}`),
    ),
  }));
  let [slow, doubtful] = [0, 0];
  fc.assert(
    fc.property(pattern, (inner) => {
      const source = `^(${inner})*$`;
      const expected = explodes(parsePattern(source));
      const found = patternProblem(source)?.kind === 'exponential';
      if (expected) slow += 1;
      if (expected) assert.ok(found, source);
      // Its two ways may need a longer word than was tried: `^(a[ab]([ab]|aab))*$` needs fifteen letters.
      else if (found) doubtful += 1;
    }),
    { numRuns: 300, seed: Number(process.env['PROPERTY_SEED'] ?? 20_261_121) },
  );
  assert.ok(slow > 50 && doubtful < 10, `${slow} were slow, ${doubtful} doubtful`);
});

test('an invalid regular expression is distinguished from one that linear-time engines refuse', () => {
  for (const pattern of ['(', '[a', 'a**', '(?i)a', '\\Z', '(?P<a>b)', 'a{2,1}'])
    assert.equal(kindOf(pattern), 'invalid', pattern);
  for (const pattern of ['(a)\\1', '(?<=a)b', 'a(?=b)', '(a{1000}){1000}', 'a'.repeat(10_001)])
    assert.equal(kindOf(pattern), 'refused', pattern);
});

test('an expensive pattern is examined in a moment', () => {
  for (const pattern of [
    '((((((((((a?)?)?)?)?)?)?)?)?)?)*'.repeat(100),
    `^(${'a?'.repeat(60)})*$`,
    `^(${Array.from({ length: 300 }, (_, at) => `a{${at}}`).join('|')})*$`,
    '(.*)'.repeat(200),
    `^(${'[a-z]'.repeat(1_000)})*$`,
    `^(${'(a|b)*'.repeat(100)})*$`,
  ]) {
    withinCpuMs(1_000, () => patternProblem(pattern), pattern.slice(0, 40));
  }
});
