import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CheckRow, Finding } from '../rules/finding.ts';
import type { Target } from '../session/contract.ts';
import { runChecks } from './run-checks.ts';

function broken(...args: string[]): Target {
  return {
    id: 'it',
    name: 'it',
    launch: {
      command: process.execPath,
      args: [fileURLToPath(new URL('../session/fixtures/broken.mjs', import.meta.url)), ...args],
    },
  };
}
const quiet = new AbortController().signal;
const SURFACE =
  '{"surface":1,"server":{},"revision":"2025-11-25","capabilities":{},"tools":[{"name":"a"}],"resources":[],"templates":[],"prompts":[]}';

test('a list that cannot be read fails, and is neither linted nor compared nor saved', async () => {
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

function eras(rows: readonly CheckRow[]): string[] {
  return rows.filter(({ group }) => group === 'era').map(({ id, status }) => `${id} ${status}`);
}
function unreadable(rows: readonly CheckRow[]): readonly Finding[] {
  return rows.filter(({ id }) => id === 'lists').flatMap(({ findings }) => findings);
}
const SPEAKS = ['2026-07-28 skip', '2025-11-25 pass', '2025-06-18 pass', '2025-03-26 pass', '2024-11-05 pass'];

test('a server whose list fails speaks every revision in which the handshake succeeds, and the list is reported once', async () => {
  const { rows } = await runChecks(broken('list-error'), { groups: ['era'], by: 'test' }, quiet);
  assert.deepEqual(eras(rows), SPEAKS);
  const [finding, ...more] = unreadable(rows);
  assert.equal(more.length, 0);
  assert.match(
    finding!.message,
    /^The list of tools .*: tools\/list was answered with an error: No database \(-32603\)$/,
  );
  assert.equal(finding!.blame, 'unknown', 'the answer does not say what made it fail');
  assert.equal(finding!.evidence.length, 2, 'the request and its answer');
});

test('a list that fails in one revision only is reported with that revision', async () => {
  const { rows } = await runChecks(broken('list-error', '2025-06-18'), { groups: ['era'], by: 'test' }, quiet);
  assert.deepEqual(eras(rows), SPEAKS);
  assert.deepEqual(
    unreadable(rows).map(({ message }) => message),
    ['With 2025-06-18 the list of tools cannot be read: tools/list was answered with an error: No database (-32603)'],
  );
});

test('a server that dies at a list in one revision speaks that revision, and is blamed for dying', async () => {
  const { rows } = await runChecks(broken('dies-at-list', '2024-11-05'), { groups: ['era'], by: 'test' }, quiet);
  assert.deepEqual(eras(rows), SPEAKS);
  const [finding, ...more] = unreadable(rows);
  assert.equal(more.length, 0);
  assert.match(finding!.message, /^With 2024-11-05 .*exited with code 3/);
  assert.equal(finding!.blame, 'server');
});

test('a server with resources and without resources/templates/list passes every check', async () => {
  const { rows, surface } = await runChecks(
    broken('no-templates'),
    { groups: ['lint', 'wire', 'era'], by: 'test' },
    quiet,
  );
  assert.deepEqual(
    rows.filter(({ status }) => status === 'fail'),
    [],
  );
  const [spoken] = rows.filter(({ group, status }) => group === 'era' && status === 'pass');
  assert.equal(spoken?.detail, '1 tool, 1 resource, 0 templates');
  assert.deepEqual((JSON.parse(surface!) as { templates: unknown }).templates, []);
});

test('a server that declares resources and does not know resources/list is blamed for that, not for its revisions', async () => {
  const { rows } = await runChecks(broken('no-resources'), { groups: ['era'], by: 'test' }, quiet);
  assert.deepEqual(eras(rows), SPEAKS);
  const [finding] = unreadable(rows);
  assert.match(finding!.message, /resources\/list was answered with an error: Method not found \(-32601\)/);
  assert.equal(finding!.blame, 'server');
  assert.match(finding!.fix!, /does not declare `resources`/);
});

test('pings that all fail are a finding, and end the load early', async () => {
  const { rows } = await runChecks(broken('no-ping'), { groups: ['load'], by: 'test' }, quiet);
  const [row] = rows;
  assert.deepEqual([row?.id, row?.status], ['ping', 'fail']);
  assert.match(row!.findings[0]!.message, /no ping/);
  // A hundred failures in a row end the load, together with the pings in progress.
  const [, failures, pings] = /^(\d+) of (\d+) pings failed/.exec(row!.findings[0]!.message)!;
  assert.equal(failures, pings);
  assert.ok(Number(pings) < 100 + 16, `${pings} pings`);
});

test('a check that is interrupted does not go on with the next revision', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('Interrupted')), 300);
  await assert.rejects(runChecks(broken('silent'), { groups: ['era'], by: 'test' }, stop.signal), /Interrupted/);
});
