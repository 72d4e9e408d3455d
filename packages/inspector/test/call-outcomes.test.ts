import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { server, tool } from 'tenon';
import { nodeHandler } from 'tenon/http';
import { saveTest } from '../src/saved/save-test.ts';
import { readTestFile } from '../src/saved/test-file.ts';
import type { Target } from '../src/session/contract.ts';
import { createWorkbench } from '../src/session/workbench.ts';
import { createTraceStore } from '../src/trace/node/trace-store.ts';
import { command } from './fixtures/launch.ts';
import { until } from '../../../scripts/lib/until.ts';

// The outcome of a call is the same for its sender and in the trace.

function bench(t: TestContext, launch: Target['launch']) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-outcomes-'));
  const store = createTraceStore(join(folder, 'x.mcptrace'), 'test 1');
  const workbench = createWorkbench({ store, targets: [{ id: 'it', name: 'it', launch }], by: 'test 1' });
  t.after(async () => {
    await workbench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const call = (name: string, more: object = {}) =>
    workbench.request('it', {
      method: 'tools/call',
      params: JSON.stringify({ name, arguments: {}, ...more }),
      key: 'call',
    });
  return { workbench, store, call };
}

const FORM = { form: { name: 'Bob', nights: 2, days: ['Monday'] } };

test('a call with questions has all its requests, and their total duration', async (t) => {
  const { workbench, store, call } = bench(t, command('asks'));
  await workbench.connect('it', { revision: '2026-07-28' });
  workbench.setScript(JSON.stringify(FORM));
  const { outcome, request, response, lines, ms } = await call('form');
  assert.equal(outcome, 'ok');
  const { session } = workbench.state().servers[0]!;
  const calls = store.index.all.filter((facts) => facts.method === 'tools/call' && facts.session === session);
  assert.deepEqual(
    lines,
    calls.map(({ n }) => n),
  );
  assert.equal(lines?.length, 4);
  assert.deepEqual([request, response], [calls[0]!.n, calls[3]!.n]);
  assert.ok(Math.abs(ms - (calls[3]!.at - calls[0]!.at)) < 0.01, `${ms} ms`);
});

test('a call with questions is saved as a test that expects its result', async (t) => {
  const { workbench, store, call } = bench(t, command('asks'));
  await workbench.connect('it', { revision: '2026-07-28' });
  workbench.setScript(JSON.stringify(FORM));
  const { request } = await call('form');
  const path = `${store.file}.test.json`;
  saveTest(path, store, { name: 'form', request: request! }, '"x"');
  const [kept] = readTestFile(readFileSync(path, 'utf8')).tests;
  assert.equal(kept?.params, '{"name":"form","arguments":{}}');
  assert.match(JSON.stringify(kept.expect.checks), /Bob/);
});

test('a call abandoned while it asks is not pending in the trace', async (t) => {
  const { workbench, store, call } = bench(t, command('asks'));
  await workbench.connect('it', { revision: '2026-07-28' });
  const called = call('form');
  await until(() => workbench.inbox().some(({ status }) => status === 'open'));
  workbench.cancel('it', 'call');
  const { outcome, request, ms } = await called;
  const facts = store.index.at(request!);
  assert.deepEqual([outcome, facts?.outcome, facts?.ms], ['cancelled', 'cancelled', ms]);
});

/** A server over HTTP whose tool answers at the end of the test. `isBroken`: tool calls are cut off instead. */
async function stubborn(t: TestContext, { isBroken = false } = {}) {
  let answer = (): void => {};
  const told = new Promise<void>((resolve) => (answer = resolve));
  const handle = nodeHandler(
    server({
      name: 'it',
      version: '1',
      tools: { wait: tool({ description: 'Waits' }, () => told.then(() => 'late')) },
    }),
  );
  const listener = createServer((request, response) => {
    if (isBroken && request.headers['mcp-method'] === 'tools/call') response.destroy();
    else handle(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  t.after(() => {
    answer();
    listener.closeAllConnections();
    listener.close();
  });
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp` };
}

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`a cancelled call over HTTP is cancelled in the trace, in ${revision}`, async (t) => {
    const { url } = await stubborn(t);
    const { workbench, store, call } = bench(t, { url });
    await workbench.connect('it', { revision });
    const called = call('wait');
    await until(() => store.index.all.some(({ method }) => method === 'tools/call'));
    workbench.cancel('it', 'call');
    const { outcome, request, ms } = await called;
    const facts = store.index.at(request!);
    assert.deepEqual([outcome, facts?.outcome, facts?.ms], ['cancelled', 'cancelled', ms]);
  });

test('a call that times out is a timeout in the trace', async (t) => {
  const { workbench, store } = bench(t, command('slow', '400'));
  await workbench.connect('it', { revision: '2025-11-25' });
  const body = { method: 'tools/call', params: '{"name":"wait","arguments":{}}', timeoutMs: 150, key: 'a' };
  const { outcome, request, ms } = await workbench.request('it', body);
  const facts = store.index.at(request!);
  assert.deepEqual([outcome, facts?.outcome, facts?.ms], ['timeout', 'timeout', ms]);
  await until(() => store.index.at(request!)?.pair !== undefined);
  assert.deepEqual([facts?.outcome, facts?.ms], ['timeout', ms]);
});

test('a request over HTTP whose answer is lost is not pending in the trace', async (t) => {
  const { url } = await stubborn(t, { isBroken: true });
  const { workbench, store, call } = bench(t, { url });
  await workbench.connect('it', { revision: '2026-07-28' });
  const { outcome, request } = await call('wait');
  assert.deepEqual([outcome, store.index.at(request!)?.outcome], ['lost', 'lost']);
  assert.equal(workbench.state().servers[0]?.status, 'ready');
});

test('a server that was killed from outside is judged the same everywhere', async (t) => {
  const { workbench, call } = bench(t, command('dies'));
  await workbench.connect('it');
  const { problem } = await call('die', { arguments: { how: 'signal' } });
  await until(() => workbench.state().servers[0]!.status === 'failed');
  const [view] = workbench.state().servers;
  for (const told of [problem, view!.problem]) {
    assert.equal(told?.blame, 'unknown');
    assert.match(told.fix!, /^It was ended from outside/);
    assert.doesNotMatch(told.fix!, /stderr/);
  }
  const found = workbench.state().findings.find(({ rule }) => rule === 'exit-during-request');
  assert.deepEqual([found?.blame, found?.fix], [problem?.blame, problem?.fix]);
});

test('a server that dies later still counts as started, and its lists as read', async (t) => {
  const { workbench, store, call } = bench(t, command('dies'));
  await workbench.connect('it');
  const { problem } = await call('die');
  await until(() => workbench.state().servers[0]!.status === 'failed');
  const { doctor, problem: told } = workbench.state().servers[0]!;
  const stateOf = (id: string): string | undefined => doctor.find((step) => step.id === id)?.status;
  assert.deepEqual([stateOf('spawn'), stateOf('lists'), stateOf('lasting')], ['pass', 'pass', 'fail']);
  assert.match(doctor.find(({ id }) => id === 'lasting')!.detail!, /exited with code 7; on stderr: TypeError/);
  // Its stderr has more details, and is cited.
  for (const one of [problem, told]) {
    assert.equal(one?.blame, 'server');
    assert.match(one.fix!, /^Its stderr says more/);
    assert.ok(one.evidence.some((n) => store.index.at(n)?.kind === 'stderr'));
    assert.ok(one.evidence.some((n) => store.index.at(n)?.kind === 'exit'));
  }
});
