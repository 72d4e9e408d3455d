import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Target } from '../session/contract.ts';
import { runChecks } from './run-checks.ts';

const broken = (...args: string[]): Target => ({
  id: 'it',
  name: 'it',
  launch: {
    command: process.execPath,
    args: [fileURLToPath(new URL('../session/fixtures/broken.mjs', import.meta.url)), ...args],
  },
});
const quiet = new AbortController().signal;
const SURFACE =
  '{"surface":1,"server":{},"revision":"2025-11-25","capabilities":{},"tools":[{"name":"a"}],"resources":[],"templates":[],"prompts":[]}';

test('a list that cannot be read fails, and is neither looked over nor compared nor saved', async () => {
  const { rows, surface } = await runChecks(
    broken('list-error'),
    { groups: ['lint', 'baseline'], by: 'test', baseline: SURFACE },
    quiet,
  );
  assert.deepEqual(
    rows.map(({ group, id, status }) => [group, id, status]),
    [['doctor', 'lists', 'fail']],
  );
  assert.equal(surface, undefined);
});

test('a server that dies in one revision is not told as one that does not speak it', async () => {
  const { rows } = await runChecks(broken('dies-at-list', '2024-11-05'), { groups: ['era'], by: 'test' }, quiet);
  const of = (id: string) => rows.find((row) => row.id === id);
  assert.deepEqual([of('2025-11-25')?.status, of('2026-07-28')?.status], ['pass', 'skip']);
  assert.equal(of('2024-11-05')?.status, 'fail');
  assert.equal(of('2024-11-05')?.findings[0]?.blame, 'server');
});

test('pings that all fail are a finding, and end the load early', async () => {
  const { rows } = await runChecks(broken('no-ping'), { groups: ['load'], by: 'test' }, quiet);
  const [row] = rows;
  assert.deepEqual([row?.id, row?.status], ['ping', 'fail']);
  assert.match(row!.findings[0]!.message, /no ping/);
  assert.ok(row!.ms! < 900, `${row!.ms} ms`);
});

test('a check that is interrupted does not go on with the next revision', async () => {
  const stop = new AbortController();
  const started = performance.now();
  setTimeout(() => stop.abort(new Error('Interrupted')), 300);
  await assert.rejects(runChecks(broken('silent'), { groups: ['era'], by: 'test' }, stop.signal), /Interrupted/);
  assert.ok(performance.now() - started < 3_000, `${performance.now() - started} ms`);
});
