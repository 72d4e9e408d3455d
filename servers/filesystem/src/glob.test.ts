import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matcherOf } from './glob.ts';

test('patterns fit the paths that shells and editors would say they fit', () => {
  for (const [pattern, fits, others] of [
    ['*.ts', ['a.ts', '.ts', '.hidden.ts'], ['a/b.ts', 'a.tsx', 'ts']],
    ['**/*.ts', ['a.ts', 'a/b.ts', 'a/b/c.ts'], ['a/b.js']],
    ['src/**', ['src', 'src/a', 'src/a/b'], ['a/src/b', 'source']],
    ['**/node_modules/**', ['node_modules', 'node_modules/x', 'a/node_modules/x/y'], ['node_modulesx']],
    ['a?c', ['abc', 'a.c'], ['ac', 'a/c', 'abbc']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
    ['[!a-c]x', ['dx'], ['ax']],
    ['{a,b/**}/c.{ts,js}', ['a/c.ts', 'b/c.js', 'b/x/y/c.js'], ['c.ts', 'a/c.md']],
    ['a\\*b', ['a*b'], ['axb']],
    ['./a', ['a'], ['b']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['**', ['a', 'a/b'], []],
    ['', [''], ['a']],
    ['(a+)+$', ['(a+)+$'], ['aaa']],
  ] as const) {
    const match = matcherOf([pattern]);
    for (const path of fits) assert.ok(match(path), `${pattern} fits ${path}`);
    for (const path of others) assert.ok(!match(path), `${pattern} does not fit ${path}`);
  }
  assert.equal(matcherOf([])('a'), false);
});

test('no pattern takes long', () => {
  assert.throws(() => matcherOf(['{a,b}'.repeat(40)]), /more than 256 alternatives/);
  const began = performance.now();
  const name = 'a'.repeat(2_000);
  for (const pattern of [
    '*a'.repeat(100),
    `${'**/'.repeat(100)}b`,
    '{'.repeat(500),
    '[a-z]*'.repeat(100),
    '*'.repeat(1_000),
  ])
    matcherOf([`${pattern}b`])(`${name}/${name}`);
  assert.ok(performance.now() - began < 2_000);
});
