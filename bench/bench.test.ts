// The benchmark measures what it says: every answer is checked, turns are compared with the same turn of others, and the page takes no figures that mean
// nothing.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chartOf } from './chart.ts';
import { messagesIn } from './http-wire.ts';
import { openHttp } from './http.ts';
import { Answers } from './messages.ts';
import { comparisonBlocks, growthBlocks } from './page-blocks.ts';
import { growthOf, type GrowthResults, type Results, rowsOf } from './results.ts';

function answer(id: number, text = 'hello world'): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
}
function answers(): Answers {
  return new Answers({ call: 'echo', modern: false, tools: 4 }, messagesIn);
}

test('answers that differ in their id only are right, whether or not they were read as a whole', () => {
  const checked = answers();
  checked.check(answer(1_000_001), 1_000_001);
  checked.check(answer(1_000_002), 1_000_002);
  assert.equal(checked.idOf(answer(1_000_003)), 1_000_003);
  assert.equal(checked.idOf(answer(1_000_003, 'hello')), undefined);
});

test('an answer in another form is read as a whole', () => {
  const checked = answers();
  checked.check(answer(1_000_001), 1_000_001);
  checked.check(`event: message\ndata: ${answer(1_000_002)}\n\n`, 1_000_002);
  const event = `data: ${answer(1_000_003)}\n\n`;
  checked.check(`${event.length.toString(16)}\r\n${event}\r\n0\r\n\r\n`, 1_000_003);
});

test('an answer with the id of another request, another text or no result is wrong', () => {
  const checked = answers();
  checked.check(answer(1_000_001), 1_000_001);
  const error = JSON.stringify({ jsonrpc: '2.0', id: 1_000_002, error: { code: -32603, message: 'no' } });
  for (const wrong of [answer(1_000_001), answer(1_000_002, 'hello'), error, 'Come back later'])
    assert.throws(() => checked.check(wrong, 1_000_002), /Wrong answer/, wrong);
});

describe('a server that begins to refuse makes the run fail with its answer', () => {
  const expected = { status: /503[^]*Come back later/, error: /Too busy/, text: /something else/, id: /its id is not/ };
  for (const [how, message] of Object.entries(expected))
    test(`by its ${how}`, async () => {
      process.env['REFUSES'] = how;
      const load = { era: 'stateless', call: 'echo', tools: 4, connections: 4, warmUp: 40 } as const;
      await assert.rejects(openHttp({ ...load, server: 'refusing', node: process.execPath }), {
        message,
      });
    });
});

test('each turn is compared with the same turn of the others', () => {
  const samples = new Map([
    ['raw', [10, 100, 1_000].map((value) => ({ value }))],
    ['ceiling', [20, 125, 4_000].map((value) => ({ value }))],
    ['tenon', [40, 125, 2_000].map((value) => ({ value }))],
  ]);
  const tenon = rowsOf(samples, { floor: 'raw', ceiling: 'ceiling' }).find(({ server }) => server === 'tenon');
  assert.deepEqual([tenon?.value, tenon?.ofFloor, tenon?.ofCeiling, tenon?.overFloor], [125, 0.5, 1, 30]);
});

test('a cost that grows at the largest size is found, though small sizes cost more', () => {
  const line = { title: 't', cost: 'c', node: 'v24.0.0', unit: 'µs' } as const;
  const points = (values: readonly number[]) => values.map((value, size) => ({ size, value }));
  assert.equal(growthOf({ ...line, points: points([90, 30, 29]) }) < 1, true);
  assert.equal(growthOf({ ...line, points: points([90, 30, 75]) }), 2.5);
});

const results: Results = {
  format: 1,
  date: '2026-01-02T03:04:05.000Z',
  commit: 'abc',
  machine: 'a machine',
  versions: { tenon: '1' },
  turns: 5,
  calls: 40_000,
  smoke: false,
  complete: true,
  failures: [],
  tables: [
    {
      title: 'stdio echo, 2026-07-28, 64 in flight',
      node: 'v24.1.0',
      unit: 'µs',
      floor: 'raw',
      ceiling: 'ceiling',
      busy: 0,
      rows: rowsOf(
        new Map([
          ['raw', [{ value: 10 }]],
          ['ceiling', [{ value: 12 }]],
          ['tenon', [{ value: 30 }]],
          ['tmcp', [{ value: 25 }]],
          ['official-v2', [{ value: 31 }]],
        ]),
        { floor: 'raw', ceiling: 'ceiling' },
      ),
    },
  ],
};
const growth: GrowthResults = { ...results, rounds: 3, lines: [] };

test('the page names what costs less elsewhere, what costs the same, and what is far from the ceiling', () => {
  const blocks = comparisonBlocks(results, []);
  assert.equal(blocks.get('less'), '- stdio echo, 2026-07-28, 64 in flight, Node 24.1.0: tenon 30.0 µs, tmcp 25.0 µs');
  assert.match(blocks.get('same')!, /official-v2 31\.0 µs$/);
  assert.match(blocks.get('far')!, /ceiling 12\.0 µs$/);
  assert.match(blocks.get('stdio')!, /\| 30\.0 \(0\.33, 0\.40\) \|/);
});

test('the chart has each server and each value as text, and colours for light and dark', () => {
  const chart = chartOf(results, 'v24.1.0');
  for (const text of ['>raw<', '>ceiling<', '>tenon<', '>tmcp<', '>0.33  (30.0 µs)<', 'prefers-color-scheme: dark'])
    assert.ok(chart.includes(text), text);
});

describe('the page takes no figures of a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
  const write = (name: string, value: object): string => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  for (const [why, change] of [
    ['that is too short', { smoke: true }],
    ['that is not complete', { complete: false }],
  ] as const)
    test(why, () => {
      const before = readFileSync(page, 'utf8');
      const script = fileURLToPath(new URL('page.ts', import.meta.url));
      const args = [script, write('results', { ...results, ...change }), write('growth', growth)];
      assert.equal(spawnSync(process.execPath, args).status, 1);
      assert.equal(readFileSync(page, 'utf8'), before);
    });
});

test('the page has a place for everything that a run gives, and for nothing else', () => {
  const page = readFileSync(new URL('../docs/performance.md', import.meta.url), 'utf8');
  const places = [...page.matchAll(/<!-- figures: (\w+) -->/g)].map(([, name]) => name);
  const blocks = [...comparisonBlocks(results, []).keys(), ...growthBlocks(growth).keys()];
  assert.deepEqual(places.toSorted(), blocks.toSorted());
});
