import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { connect } from 'tenon/client';
import { createFilesystem } from './filesystem.ts';
import { Folders } from '../../shared/folders.ts';
import { matcherOf } from './glob.ts';
import { withinCpuMs } from '../../../scripts/lib/cpu-time.ts';

test('patterns match the same paths as in shells and editors', () => {
  for (const [pattern, fits, others] of [
    ['*.ts', ['a.ts', '.ts', '.hidden.ts'], ['a/b.ts', 'a.tsx', 'ts']],
    ['**/*.ts', ['a.ts', 'a/b.ts', 'a/b/c.ts'], ['a/b.js']],
    ['src/**', ['src', 'src/a', 'src/a/b'], ['a/src/b', 'source']],
    ['**/node_modules/**', ['node_modules', 'node_modules/x', 'a/node_modules/x/y'], ['node_modulesx']],
    ['a?c', ['abc', 'a.c'], ['ac', 'a/c', 'abbc']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
    ['[!a-c]x', ['dx', '^x'], ['ax']],
    ['[^a-c]x', ['dx', '!x'], ['ax']],
    ['[a^!]x', ['ax', '^x', '!x'], ['bx']],
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

test('no pattern is slow to match', () => {
  assert.throws(() => matcherOf(['{a,b}'.repeat(40)]), /more than 256 alternatives/);
  const name = 'a'.repeat(2_000);
  const patterns = [
    '*a'.repeat(100),
    `${'**/'.repeat(100)}b`,
    '{'.repeat(500),
    '[a-z]*'.repeat(100),
    '*'.repeat(1_000),
  ];
  withinCpuMs(2_000, () => {
    for (const pattern of patterns) matcherOf([`${pattern}b`])(`${name}/${name}`);
  });
});

test('the alternatives of all patterns of a call are counted together', async () => {
  const braces = (count: number, name: string): string =>
    `{${Array.from({ length: count }, (_, index) => `${name}${index}`).join(',')}}`;
  const few = /more than 256 alternatives in total: leave some out/;
  assert.throws(() => matcherOf([braces(200, 'a'), braces(57, 'b')]), few);
  const all = matcherOf([braces(200, 'a'), braces(56, 'b')]);
  assert.ok(all('a199') && all('b55') && !all('b56'));
  const folders = await Folders.of([tmpdir()]);
  await using client = await connect(createFilesystem({ folders, hardLinks: false, confirm: false }));
  const args = { path: tmpdir(), pattern: braces(200, 'a'), excludePatterns: [braces(57, 'b')] };
  await assert.rejects(client.call('search_files', args), few);
});

test('equal alternatives count once', () => {
  const match = matcherOf([...Array<string>(300).fill('a'), `{${'b,'.repeat(200)}c}`, `{b,${'c,'.repeat(200)}d}`]);
  for (const name of ['a', 'b', 'c', 'd']) assert.ok(match(name));
  assert.ok(!match('e'));
});

test('a pattern without a star matches at any depth if requested', () => {
  const match = matcherOf(['a', '{x,y/z}', './top', '*.ts'], { anywhere: true });
  for (const path of ['a', 'b/a', 'b/a/c', 'x', 'b/x', 'b/y/z/c', 'top', 'a.ts']) assert.ok(match(path), path);
  for (const path of ['b', 'y', 'b/top', 'b/a.ts']) assert.ok(!match(path), path);
});
