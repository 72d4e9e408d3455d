import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../../scripts/lib/cpu-time.ts';
import fc from 'fast-check';
import { patternExample } from './pattern-example.ts';

test('patterns of schemas have examples of the intended kind', () => {
  for (const [pattern, expected] of [
    ['^[A-Z]{3}-\\d{2}$', 'ABC-56'],
    ['^(foo|bar)$', 'foo'],
    ['^#[0-9a-f]{6}$', '#bcdefa'],
    ['^https?://', 'http://'],
    ['^$', ''],
    ['\\bfoo\\b', 'foo'],
  ] as const)
    assert.equal(patternExample(pattern), expected, pattern);
});

test('every example matches its pattern, within the given lengths', () => {
  for (const [pattern, minLength, maxLength] of [
    ['^[a-z]+$', 5, 5],
    ['^a?b?c?$', 3, 3],
    ['^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$', 8, 20],
    ['^(?!.*admin).+$', 3, 9],
    ['^(?=.*#).{3}$', 3, 3],
    ['.', 20, 30],
    ['x', 4, 4],
    ['^[\\w.+-]+@[\\w-]+\\.[\\w.]+$', 6, 100],
    ['^\\p{Lu}\\p{Ll}+$', 2, 3],
    ['^[^a-zA-Z0-9]+$', 1, 5],
    ['^[\\u{1F600}-\\u{1F64F}]{3}$', 3, 3],
    ['^([0-9a-f]{8})-([0-9a-f]{4})-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$', 36, 36],
    ['^(?:[01]\\d|2[0-3]):[0-5]\\d$', 0, 5],
  ] as const) {
    for (const seed of [0, 1, 2, 7]) {
      const text = patternExample(pattern, { minLength, maxLength, seed });
      assert.ok(text !== undefined, pattern);
      assert.match(text, new RegExp(pattern, 'u'));
      const length = Array.from(text).length;
      assert.ok(length >= minLength && length <= maxLength, `${pattern}: ${text}`);
    }
  }
});

test('another seed gives another example', () => {
  assert.notEqual(patternExample('^(foo|bar)$', { seed: 1 }), patternExample('^(foo|bar)$'));
});

test('a pattern without an example, or none that can be verified, has none', () => {
  for (const pattern of ['(', 'a(?=b)', '(a)\\1', '^a$^b$', '(a{1000}){1000}'])
    assert.equal(patternExample(pattern), undefined, pattern);
  assert.equal(patternExample('^a{3}$', { maxLength: 2 }), undefined);
  assert.equal(patternExample('a', { minLength: 1e9 }), undefined);
});

test('property: an example matches, and any pattern takes only a moment', () => {
  const piece = fc.oneof(
    fc.constantFrom('a', '[b-d]', '\\d', '.', '\\w+', 'x?', '(y|z)', '-', '[^a]', '\\s', '(?:ab){2,3}', 'é'),
    fc.string({ maxLength: 4 }),
  );
  let found = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), fc.nat(20), (pieces, anchored, minLength) => {
      const pattern = anchored ? `^${pieces.join('')}$` : pieces.join('');
      const text = withinCpuMs(1_000, () => patternExample(pattern, { minLength }), pattern);
      if (text === undefined) return;
      found += 1;
      let expression;
      try {
        expression = new RegExp(pattern, 'u');
      } catch {
        return; // what is allowed here beyond the flag
      }
      assert.match(text, expression);
    }),
    { numRuns: 500 },
  );
  assert.ok(found > 200, `found ${found}`);
});
