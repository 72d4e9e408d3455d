// Closing a host, and what the audit log says about the end of servers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';
import { createHost, verifyAudit } from '../src/index.ts';
import { fixture, folder, PATIENT, rawServer, started, textOf, until, yes } from './kit.ts';

const RULES = [{ effect: 'allow', act: ['start', 'call'] }] as const;

interface Line {
  readonly act: string;
  readonly target: string;
  readonly requestedBy: string;
  readonly decision?: string;
  readonly outcome?: string;
  readonly rule?: string;
}

async function linesIn(state: string): Promise<Line[]> {
  const file = join(state, 'audit.jsonl');
  assert.equal((await verifyAudit(file)).ok, true);
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

test('a host that waits for an input can be closed', async () => {
  let asked = false;
  const host = await createHost({
    servers: [{ alias: 'one', launch: { kind: 'stdio', ...fixture('plain', { TOKEN: '${input:token}' }) } }],
    input: () => ((asked = true), new Promise(() => {})),
    rules: RULES,
  });
  const starting = host.start();
  await until(() => asked);
  await host.close();
  await starting;
});

test('a server that is being restarted while the host closes is stopped', async () => {
  const host = await started({
    servers: { one: fixture(), slow: { ...fixture('deaf'), graceMs: 50, killMs: 300 } },
    rules: RULES,
  });
  const restarting = host.restart('one');
  await Promise.all([host.close(), assert.rejects(restarting, /The host is closed/)]);
  assert.deepEqual(
    host.servers().map(({ state }) => state),
    ['stopped', 'stopped'],
  );
  await assert.rejects(host.start(), /The host is closed/);
});

test('closing a host whose servers announce changes reports no problem', async () => {
  const offer = () => server({ name: 'x', tools: { act: tool({}, () => 'done') } });
  const web = await serveHttp(offer(), { port: 0 });
  const servers = { own: offer(), web: web.url, process: fixture() };
  const host = await createHost({ servers, rules: RULES });
  const problems: string[] = [];
  host.on((event) => event.kind === 'problem' && problems.push(`${event.server}: ${event.message}`));
  await host.start();
  await host.restart('own');
  await host.close();
  await web.close();
  assert.deepEqual(problems, []);
});

test('a second call of close resolves only when the host is closed', async () => {
  const host = await started({ servers: { deaf: { ...fixture('deaf'), graceMs: 50, killMs: 300 } }, rules: RULES });
  let isClosed = false;
  const closing = host.close().then(() => (isClosed = true));
  await host.close();
  assert.equal(isClosed, true);
  await closing;
});

test('the audit log contains the outcome of each start, and the end of each server', async () => {
  const state = await folder();
  const host = await started({
    state,
    servers: { one: fixture(), none: { command: 'no-such-program' } },
    rules: RULES,
    limits: PATIENT,
  });
  await host.call('one__die', {});
  await until(() => host.servers()[0]!.state === 'starting');
  await until(() => host.servers()[0]!.state === 'ready');
  await host.restart('one');
  await host.close();
  const lines = await linesIn(state);
  assert.deepEqual(
    lines.flatMap(({ act, target, outcome }) => (act === 'start' && outcome ? [[target, outcome]] : [])).sort(),
    [
      ['none', 'error'],
      ['one', 'ok'],
      ['one', 'ok'],
      ['one', 'ok'],
    ],
  );
  const stops = lines.filter(({ act }) => act === 'stop');
  assert.deepEqual(
    stops.map(({ requestedBy, outcome }) => [requestedBy, outcome]),
    [
      ['one', 'error'],
      ['user', 'ok'],
      ['host', 'ok'],
    ],
  );
  assert.match(stops[0]!.rule!, /exited with code 3/);
  assert.match(stops[2]!.rule!, /the host is closed/);
});

for (const [what, cutOff] of [
  ['call', 'app__act'],
  ['question', 'app__ask'],
] as const) {
  test(`a ${what} that is cancelled before a decision is logged as cancelled`, async () => {
    const state = await folder();
    const app = server({
      name: 'x',
      tools: {
        act: tool({}, () => 'done'),
        ask: tool({ input: z.object({}) }, async (_input, context) => {
          const { sure } = await context.ask('sure', 'Sure?', z.object({ sure: z.boolean() }));
          return String(sure);
        }),
      },
    });
    const host = await started({ state, servers: { app }, rules: [{ effect: 'allow', tool: 'ask' }] });
    const stop = new AbortController();
    const call = assert.rejects(host.call(cutOff, {}, { signal: stop.signal }), { name: 'AbortError' });
    await until(() => host.pending().length > 0);
    stop.abort();
    await call;
    await host.close();
    const lines = (await linesIn(state)).filter(
      ({ act, rule }) => act === what && /cancelled before it was decided/.test(rule ?? ''),
    );
    assert.deepEqual(
      lines.map(({ decision, outcome }) => [decision, outcome]),
      [[undefined, 'cancelled']],
    );
  });
}

test('a start that is cancelled by closing the host is in the audit log', async () => {
  const state = await folder();
  const host = await createHost({ state, servers: { one: fixture() } });
  const starting = host.start();
  await until(() => host.pending().length > 0);
  await host.close();
  await starting;
  const lines = await linesIn(state);
  assert.deepEqual(
    lines.map(({ act, decision, outcome }) => [act, decision, outcome]),
    [['start', undefined, 'cancelled']],
  );
});

test('a call that takes too long is logged as timed out', async () => {
  const state = await folder();
  const app = server({ name: 'x', tools: { wait: tool({}, () => new Promise<never>(() => {})) } });
  const host = await started({ state, servers: { app }, approve: yes });
  await host.call('app__wait', {}, { timeout: 50 });
  await host.close();
  assert.equal((await linesIn(state)).find(({ act, outcome }) => act === 'call' && outcome)?.outcome, 'timeout');
});

test('a call can be cancelled while a person decides about the start of its idle server', async () => {
  const file = join(await folder(), 'server.mjs');
  const { command, args } = await rawServer([{ name: 'act' }], {}, file);
  let starts = 0;
  await using host = await started({
    servers: [{ alias: 'x', idleMs: 100, launch: { kind: 'stdio', command, args, env: {} } }],
    approve: (item) => (item.kind === 'start' && starts++ > 0 ? new Promise<never>(() => {}) : { allow: true }),
  });
  await until(() => host.servers()[0]!.state === 'idle');
  await rawServer([{ name: 'act' }, { name: 'more' }], {}, file);
  const stop = new AbortController();
  const call = host.call('x__act', {}, { signal: stop.signal });
  await until(() => starts > 1);
  stop.abort();
  await assert.rejects(call, { name: 'AbortError' });
});

test('a server that cannot be notified of new roots does not affect the others', async () => {
  const web = await serveHttp(server({ name: 'web' }), { port: 0 });
  const { command, args } = await rawServer([{ name: 'told' }], {
    more: `if (method === 'notifications/roots/list_changed') globalThis.told = true;
      if (method === 'tools/call') return send({ id, result: { content: [{ type: 'text', text: String(globalThis.told) }] } });`,
  });
  await using host = await started({
    servers: [
      { alias: 'web', launch: { kind: 'http', url: web.url, headers: {} }, revision: '2025-06-18' },
      { alias: 'one', launch: { kind: 'stdio', command, args, env: {} } },
    ],
    approve: yes,
  });
  await web.close();
  await host.setRoots(['/work']);
  assert.equal(textOf(await host.call('one__told', {})), 'true');
});

test('invalid options create no audit log', async () => {
  const state = join(await folder(), 'state');
  const rules = [{ effect: 'perhaps' }] as never;
  await assert.rejects(createHost({ state, servers: {}, rules }), { name: 'TypeError' });
  await assert.rejects(readFile(join(state, 'audit.jsonl')), { code: 'ENOENT' });
});

test('closing waits for the end of a server that is being retried', async () => {
  const file = join(await folder(), 'runs');
  // Exits at once during the first start, which has two attempts. Later it stays silent, and does not exit on its own.
  const script = `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(file)}, process.pid + '\\n');
    if (fs.readFileSync(${JSON.stringify(file)}, 'utf8').split('\\n').length <= 3) process.exit(1);
    process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
  const slow = { command: process.execPath, args: ['-e', script], graceMs: 50, killMs: 600 };
  const host = await started({ servers: { slow }, rules: RULES, limits: PATIENT });
  const pids = async (): Promise<string[]> => (await readFile(file, 'utf8')).trim().split('\n');
  await until(async () => (await pids()).length >= 3);
  await host.close();
  const last = Number((await pids()).at(-1));
  assert.throws(() => process.kill(last, 0), { code: 'ESRCH' });
});
