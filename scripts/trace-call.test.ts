// The trace of a call: each entered function is reported, and the instrumented source behaves as before.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './lib/files.ts';
import { type FunctionPlace, withEntries } from './lib/entries.ts';

const SOURCE = `class Base { constructor() { this.of = 'base'; } }
class Counter extends Base {
  #n = 0;
  constructor(n) { super(); this.#n = n; }
  get value() { return this.#n; }
  static of(n) { return new Counter(n); }
  later = async () => this.value;
}
const nested = (a) => (b) => a + b;
function plain({ x = 1 } = {}) { 'use strict'; return x; }
const member = { held: () => ({ a: 1 }), method() { return [1, 2].map((n) => n * 2); } };
export const run = async () => [await Counter.of(2).later(), nested(1)(2), plain(), member.held().a, member.method()[1]];
`;

test('every kind of function is reported when it is entered, with its name and line', async () => {
  const places: FunctionPlace[] = [];
  const entered: string[] = [];
  Object.assign(globalThis, {
    __enterFunction: (at: number) => entered.push(`${places[at]!.name}:${places[at]!.line}`),
  });
  const source = withEntries(SOURCE, 'sample.ts', (place) => places.push(place) - 1);
  assert.equal(source.split('\n').length, SOURCE.split('\n').length);
  const { run } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { run(): Promise<unknown> };
  assert.deepEqual(await run(), [2, 3, 1, 1, 4]);
  assert.deepEqual(entered, [
    'run:12',
    'Counter.of:6',
    'new Counter:4',
    'new Base:1',
    'Counter.later:7',
    'get Counter.value:5',
    'nested:9',
    '(anonymous):9',
    'plain:10',
    'held:11',
    'method:11',
    '(argument of [1, 2].map):11',
    '(argument of [1, 2].map):11',
  ]);
});

test('each kind of call can be traced', () => {
  for (const kind of ['modern', 'session', 'stateless', 'stdio', 'ask']) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'scripts/trace-call.ts'), kind, '--list', '--counts'],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const [, entries, distinct, files] = /: (\d+) entries, (\d+) distinct functions, (\d+) files\n$/.exec(stdout) ?? [];
    assert.ok(Number(entries) >= Number(distinct) && Number(distinct) > Number(files) && Number(files) > 5, stdout);
    assert.match(stdout, /packages\/sdk\/src\/server\/\S+\.ts:\d+\n/);
  }
});
