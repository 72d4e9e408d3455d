// `tenon check` of a trace: findings, a verdict on each side, an exit code.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { CheckRow, SideVerdict } from '@tenon/inspector';
import { failureIn, fixture, type Outcome, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon check '));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

type Said = readonly [from: 'client' | 'server', message: object, session?: string];

/** A trace of these messages, one millisecond apart. */
function written(said: readonly Said[], name = `${++count}.mcptrace`): string {
  const file = join(folder, name);
  const lines = said.map(([from, message, session = 's'], at) =>
    JSON.stringify({
      n: at + 1,
      at,
      session,
      kind: 'message',
      from,
      text: JSON.stringify({ jsonrpc: '2.0', ...message }),
    }),
  );
  const head = '{"mcptrace":1,"began":"2026-11-21T15:00:00.000Z","by":"a test"}';
  writeFileSync(file, [head, ...lines, ''].join('\n'), { mode: 0o700 });
  return file;
}

const info = { name: 'x', version: '1' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info };
const HANDSHAKE: readonly Said[] = [
  ['client', { id: 0, method: 'initialize', params }],
  ['server', { id: 0, result }],
  ['client', { method: 'notifications/initialized' }],
];
/** The client uses an id again. */
const BAD_CLIENT: readonly Said[] = [
  ...HANDSHAKE,
  ['client', { id: 1, method: 'ping' }],
  ['server', { id: 1, result: {} }],
  ['client', { id: 1, method: 'ping' }],
  ['server', { id: 1, result: {} }],
];
/** The server answers twice. */
const BAD_SERVER: readonly Said[] = [
  ...HANDSHAKE,
  ['client', { id: 1, method: 'ping' }],
  ['server', { id: 1, result: {} }],
  ['server', { id: 1, result: {} }],
];

interface Report {
  readonly rows: readonly CheckRow[];
  readonly verdicts: readonly SideVerdict[];
}
function reportOf({ stdout }: Outcome): Report {
  return JSON.parse(stdout) as Report;
}
function verdictsOf(outcome: Outcome): string[] {
  return reportOf(outcome).verdicts.map(({ side, status }) => `${side} ${status}`);
}

test('a trace in which both sides keep the rules passes, with a verdict on each', async () => {
  const run = await tenon(['check', written(HANDSHAKE)]);
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(verdictsOf(run), ['server pass', 'client pass']);
  assert.deepEqual(
    reportOf(run)
      .rows.slice(-2)
      .map(({ id, detail }) => `${id}: ${detail}`),
    ['server: 0 errors and 0 warnings in 1 message', 'client: 0 errors and 0 warnings in 2 messages'],
  );
});

test('a client that breaks a rule fails the check, with the lines that show it', async () => {
  const file = written(BAD_CLIENT);
  const run = await tenon(['check', file]);
  assert.equal(run.code, 9, run.stdout);
  assert.deepEqual(verdictsOf(run), ['server pass', 'client fail']);
  assert.deepEqual(failureIn(run)['blame'], 'client');
  assert.match(String(failureIn(run)['message']), /^The client broke rules: The client sent ping with the id 1/);
  const row = reportOf(run).rows.find(({ id }) => id === 'id-reused');
  assert.deepEqual(row?.findings[0]?.evidence, [4, 6]);
  const shown = await tenon(['check', '--text', file]);
  assert.match(shown.stdout, /✘ The id of a request.*\n +error, client: .* \[#4 #6\]/);
  assert.match(shown.stdout, /✘ The client keeps the rules +1 error and 0 warnings in 4 messages/);
});

test('--blame counts only violations of that side, also in the report', async () => {
  const report = join(folder, 'report.xml');
  const innocent = await tenon(['check', written(BAD_SERVER), '--blame', 'client', '--junit', report]);
  assert.equal(innocent.code, 0, innocent.stderr);
  assert.deepEqual(verdictsOf(innocent), ['server skip', 'client pass']);
  assert.doesNotMatch(readFileSync(report, 'utf8'), /<failure/);
  const guilty = await tenon(['check', written(BAD_SERVER), '--blame', 'server', '--junit', report]);
  assert.deepEqual([guilty.code, failureIn(guilty)['blame']], [9, 'server']);
  assert.match(readFileSync(report, 'utf8'), /<failure message="The server answered 1 again"/);
});

test('a side that is not in the trace gets no verdict, and if none is judged nothing was checked', async () => {
  const lonely = written([['client', { id: 0, method: 'initialize', params }]]);
  const run = await tenon(['check', lonely]);
  assert.deepEqual([run.code, verdictsOf(run)], [0, ['server skip', 'client pass']]);
  for (const args of [[lonely, '--blame', 'server'], [written([])]]) {
    const nothing = await tenon(['check', ...args]);
    assert.deepEqual([nothing.code, failureIn(nothing)['code']], [9, 'nothing_checked'], args.join(' '));
  }
});

test('one session of several can be checked', async () => {
  const file = written([
    ...BAD_CLIENT.map(([from, message]): Said => [from, message, 'bad']),
    ...HANDSHAKE.map(([from, message]): Said => [from, message, 'good']),
  ]);
  assert.equal((await tenon(['check', file, '--session', 'good'])).code, 0);
  assert.equal((await tenon(['check', file, '--session', 'bad'])).code, 9);
  const none = await tenon(['check', file, '--session', 'worse']);
  assert.deepEqual([none.code, failureIn(none)['code']], [2, 'no_session']);
});

test('unreadable lines are reported, and the rest is judged', async () => {
  const file = written(BAD_CLIENT);
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"n":8,"at`);
  const run = await tenon(['check', file]);
  const whole = reportOf(run).rows.find(({ id }) => id === 'whole');
  assert.deepEqual([run.code, whole?.status], [9, 'warn']);
  assert.match(String(whole?.detail), /cut/);
});

test('no verb starts a program for a file that is a trace', async () => {
  const started = join(folder, 'started');
  // An executable file that is a trace only by its first line.
  const script = written(HANDSHAKE, 'looks-like-a-program');
  writeFileSync(script, `${readFileSync(script, 'utf8')}touch '${started}'\n`, { mode: 0o700 });
  assert.equal((await tenon(['check', script])).code, 0);
  for (const verb of ['doctor', 'diff', 'test']) {
    const run = await tenon([verb, script, ...(verb === 'diff' ? [script] : [])]);
    assert.equal(run.code, 2, `${verb}: ${run.stderr}`);
  }
  assert.match((await tenon(['doctor', script])).stderr, /is a trace, not a server.*tenon check/);
  assert.equal(existsSync(started), false);
});

test('options that need a server are refused for a trace, and those of a trace for a server', async () => {
  const file = written(HANDSHAKE);
  for (const args of [
    [file, '--lint'],
    [file, '--era', 'all'],
    [file, '--blame', 'nobody'],
    [file, file],
    [file, '--', 'node'],
    [join(folder, 'missing.mcptrace')],
    ['--blame', 'client', '--', process.execPath, fixture('peer.mjs')],
  ]) {
    const run = await tenon(['check', ...args]);
    assert.deepEqual([run.code, failureIn(run)['blame']], [2, 'you'], `${args.join(' ')}: ${run.stderr}`);
  }
});
