import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OverBudget } from '../budget.ts';
import { PatternError } from './parse.ts';
import { compilePattern } from './pattern.ts';

function matches(source: string, text: string, steps = 1_000_000): boolean {
  const budget = { steps };
  return compilePattern(source, budget, { left: 10_000 })(text, budget);
}

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'ba',
  'aab',
  'abc',
  'a b',
  'a-b',
  'a.b',
  '1',
  '12',
  '2026-01-31',
  'A',
  '_',
  '\n',
  'a\nb',
  'é',
  '😀',
  'a😀b',
  '\ud83d',
  '\u2028',
  '\u00a0',
  'foo@example.com',
  'xyz',
  '{',
  '}',
  ']',
  '$',
  '^',
  '\\',
  '/',
  '-',
  'aaaaaaaa',
  'İ',
  'ſ',
  '٣',
  '\u0000',
  '\b',
];

// Patterns of existing schemas, and every construct of the grammar. The engine itself is the oracle.
const PATTERNS = [
  '',
  '^$',
  'a',
  '^a',
  'a$',
  '^a$',
  'a|b',
  '^(a|b)$',
  '^a|b$',
  '(?:ab)+',
  '(?<name>ab)+',
  'a*',
  '^a*$',
  'a+?b',
  '^a{2}$',
  '^a{2,}$',
  '^a{1,2}$',
  '^(ab?){1,3}$',
  '^(a|ab)(c|bcd)?$',
  '.',
  '^.$',
  '^..$',
  '[abc]',
  '^[^abc]$',
  '[a-c]',
  '^[a-]$',
  '^[-a]$',
  '[^]',
  '^[\\]]$',
  '^[\\w-.]+$',
  '^[\\w.-]+@[\\w.-]+\\.[a-z]{2,}$',
  '^[\\s\\S]$',
  '^[\\S\\n]$',
  '^[^\\W]$',
  '[\\b]',
  '\\d',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '\\D',
  '^\\w+$',
  '^\\W$',
  '\\s',
  '^\\S+$',
  '\\ba',
  'a\\b',
  '\\Ba',
  'a\\B',
  '\\b',
  '^\\b$',
  '\\B',
  '\\t',
  '\\n',
  '^\\x61$',
  '\\u0061',
  '^\\u{1F600}$',
  '^\\ud83d\\ude00$',
  '\\ud83d',
  '\\cJ',
  '\\0',
  '^\\p{L}+$',
  '\\p{Lu}',
  '^\\P{L}$',
  '^[\\p{L}\\d]+$',
  '[^\\p{L}]',
  '^\\p{Script=Latin}$',
  '\\p{Emoji_Presentation}',
  '\\.',
  '\\/',
  '\\-',
  '\\@',
  '\\{',
  '^\\{$',
  '^{$',
  '^}$',
  '^]$',
  'x{',
  'x{a}',
  '^[😀]$',
  '^😀{1}$',
  '(a*)*',
  '(a*)+b',
  '(|a)+',
  '((a|b)*)*c',
  '^(?:)$',
  '()',
  '(a|)b',
  '^(?:a?){3}$',
  '(?:a{2}){2}',
  '^(^a)$',
  'a$b',
  '(?:^|b)a',
  '(^)*a',
  '^(?=a)',
  '^(?!a)',
  '^(?!a).+$',
  '^(?=.*b)(?!.*c)[a-z]+$',
  '^(?=(?:ab|ba))',
  '^(?!\\.)(?!.*\\.\\.)[a-z.]*[a-z]@[a-z.]+$',
];

function native(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source); // the leniencies that only the older grammar has
  }
}

test('a pattern matches as ECMA-262 defines', () => {
  for (const source of PATTERNS) {
    for (const text of TEXTS) {
      // V8 also looks for \B between the two halves of a surrogate pair, where there is no position.
      if (source === '\\B' && text === 'a😀b') continue;
      assert.equal(matches(source, text), native(source).test(text), `${source} on ${JSON.stringify(text)}`);
    }
  }
});

test('a pattern that is invalid or cannot be run in linear time is refused with a reason', () => {
  const refused: [string, RegExp][] = [
    ['(a)\\1', /refers back/],
    ['(?<x>a)\\k<x>', /refers back/],
    ['(?<=a)b', /looks behind/],
    ['(?<!a)b', /looks behind/],
    ['a(?=b)', /looks ahead/],
    ['(?!a)b', /looks ahead/],
    ['^(?=a)|b', /looks ahead/],
    ['^(?:(?=a)b)', /looks ahead/],
    ['^(?=a(?!b))', /looks ahead/],
    ['(?i:a)', /unknown kind of group/],
    ['(?P<x>a)', /unknown kind of group/],
    ['(?>a)', /unknown kind of group/],
    ['a{1,100000}', /too large/],
    ['(a{300}){300}', /too large/],
    ['(', /without '\)'/],
    [')', /without '\('/],
    ['[a', /without '\]'/],
    ['a\\', /ends with a backslash/],
    ['*a', /nothing to repeat/],
    ['a**', /nothing to repeat/],
    ['a{2}{3}', /nothing to repeat/],
    ['^*', /repeats an assertion/],
    ['\\b+', /repeats an assertion/],
    ['a{2,1}', /out of order/],
    ['[b-a]', /out of order/],
    ['\\p{Nonsense}', /unknown Unicode property/],
    ['\\pL', /unknown Unicode property/],
    ['\\u{110000}', /beyond Unicode/],
    ['\\Z', /unknown escape/],
    ['\\A', /unknown escape/],
    ['('.repeat(200) + ')'.repeat(200), /nested/],
    ['a'.repeat(10_001), /longer than/],
  ];
  for (const [source, reason] of refused) {
    assert.throws(
      () => matches(source, 'a'),
      (error) => error instanceof PatternError && reason.test(error.message),
      source,
    );
  }
});

/** Patterns of a few constructs over a small alphabet, so that matches are common. */
const sources = fc.letrec<{ pattern: string; part: string; atom: string }>((tie) => ({
  pattern: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { weight: 3, arbitrary: tie('atom') },
    fc
      .tuple(tie('atom'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0}', '{2,}', '*?'))
      .map(([atom, times]) => atom + times),
    fc.constantFrom('^', '$', '\\b', '\\B'),
  ),
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\W', '-', '\\s', 'é'),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
    tie('pattern').map((inner) => `(${inner})`),
  ),
}));

test('property: any pattern gives the same result as the engine, even when it is used again', () => {
  fc.assert(
    fc.property(
      sources.pattern,
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', 'é'), maxLength: 7 }), { maxLength: 4 }),
      (source, texts) => {
        const expected = new RegExp(source, 'u');
        const budget = { steps: 1_000_000 };
        const remembering = compilePattern(source, budget, { left: 10_000 });
        const forgetting = compilePattern(source, budget, { left: 0 });
        for (const text of [...texts, ...texts]) {
          assert.equal(remembering(text, budget), expected.test(text), `${source} on ${JSON.stringify(text)}`);
          assert.equal(
            forgetting(text, budget),
            expected.test(text),
            `${source} on ${JSON.stringify(text)}, without memory`,
          );
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('patterns for which backtracking engines need exponential time take linear time', () => {
  for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){12}x', '^(\\w+\\s?)*$', '(x+x+)+y']) {
    assert.equal(matches(source, `${'a'.repeat(50_000)}!`), false, source);
  }
});

test('the work of a pattern is taken from the budget', () => {
  assert.throws(() => matches('(a|b)*a(a|b){300}c', 'ab'.repeat(100_000)), OverBudget);
  assert.throws(() => matches('((){999999999}){999999999}', ''), OverBudget);
});
