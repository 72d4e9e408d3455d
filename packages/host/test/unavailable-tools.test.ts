// Tools of temporarily unavailable servers, and servers that flood the host.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { scriptedModel, type ServerView } from '../src/index.ts';
import { fixture, folder, PATIENT, QUICKLY, rawServer, started, textOf, until, yes } from './kit.ts';

const RULES = [{ effect: 'allow', act: ['start', 'call'] }] as const;

test('a tool whose server is being restarted is not reported as unknown', async () => {
  await using host = await started({ servers: { one: fixture() }, rules: RULES, limits: PATIENT });
  const results: string[] = [];
  host.on((event) => {
    if (event.kind !== 'server' || event.server.state !== 'starting' || results.length > 0) return;
    results.push('');
    // The call waits until the server is available again.
    void host.call('one__greet', { name: 'Ada' }).then((result) => (results[0] = textOf(result)));
  });
  void host.call('one__die', {});
  await until(() => (results[0] ?? '') !== '');
  assert.equal(results[0], 'Hello Ada');
});

test('a tool whose server restarts slowly or not at all is not reported as unknown', async () => {
  const server = await rawServer([{ name: 'act' }, { name: 'die' }], {
    more: `if (params?.name === 'die') process.exit(1);`,
  });
  let allowed = true;
  await using host = await started({
    servers: { one: server },
    rules: [{ effect: 'allow', act: 'call' }],
    approve: () => ({ allow: allowed }),
    limits: { restartMs: 300 },
  });
  await host.call('one__die', {});
  // It ended so soon that it is restarted only after a pause.
  await until(() => host.servers()[0]!.state === 'starting');
  assert.match(host.unavailableReason('one__act')!, /is starting\. Try again later/);
  assert.equal(host.unavailableReason('one__nothing'), undefined);
  await until(() => host.servers()[0]!.state === 'ready');
  assert.equal(host.unavailableReason('one__act'), undefined);
  allowed = false;
  await host.restart('one');
  const result = await host.call('one__act', {});
  assert.match(textOf(result), /its server 'one' is not running \(it was not allowed to start\)/);
});

test('a run recognizes a tool whose server is temporarily unavailable', async () => {
  await using host = await started({ servers: { one: fixture() }, rules: RULES, limits: PATIENT });
  const model = scriptedModel([
    () => ({ calls: [{ tool: 'one__die' }] }),
    () => ({ calls: [{ tool: 'one__greet', arguments: { name: 'Ada' } }] }),
    ({ results }) => ({ text: results.join() }),
  ]);
  const { text } = await host.run({ model, prompt: 'Greet her' });
  assert.equal(text, 'Hello Ada');
});

test('a question of a server that ended is withdrawn, and its call ends', async () => {
  await using host = await started({ servers: { one: fixture() }, rules: RULES, limits: PATIENT });
  const call = host.call('one__confirm', { what: 'it' });
  await until(() => host.pending().length > 0);
  await host.call('one__die', {});
  assert.equal((await call).isError, true);
  assert.deepEqual(host.pending(), []);
});

test('stderr of a process that ends is for the operator: neither the model nor the audit log gets it', async () => {
  const server = await rawServer([{ name: 'act' }, { name: 'die' }], {
    more: `if (params?.name === 'die') { console.error('no database at 10.0.0.7'); process.exit(1); }`,
  });
  const state = await folder();
  await using host = await started({ servers: { one: server }, rules: RULES, state, limits: { restartMs: 60_000 } });
  const problems: (string | undefined)[] = [];
  host.on((event) => event.kind === 'server' && problems.push(event.server.problem));
  const texts = [
    textOf(await host.call('one__die', {})),
    host.unavailableReason('one__act')!,
    await readFile(join(state, 'audit.jsonl'), 'utf8'),
  ];
  await host.restart('one');
  for (const text of texts) assert.doesNotMatch(text, /database|10\.0\.0\.7/);
  assert.match(texts[0]!, /at its server 'one': its process exited with code 1\. It may have taken effect/);
  assert.match(texts[2]!, /its process exited with code 1/);
  assert.match(problems.join('\n'), /no database at 10\.0\.0\.7/);
});

test('a server that does not start says why to the operator, and not to the model', async () => {
  const one = { command: process.execPath, args: ['-e', 'console.error("secret place"); process.exit(1)'] };
  await using host = await started({ servers: { one }, rules: RULES, limits: { restartMs: 1 } });
  await until(() => host.servers()[0]!.state === 'failed');
  assert.match(host.servers()[0]!.problem!, /secret place/);
  const text = textOf(await host.call('one__act', {}));
  assert.match(text, /its server 'one' is not running \(it failed\)/);
});

test('a server at a URL that cannot be reached shows so, and the model is told without its address', async () => {
  const http = await serveHttp(server({ name: 'team', tools: { act: tool({}, () => 'ok') } }), { port: 0 });
  const { port } = new URL(http.url);
  await using host = await started({ servers: { team: http.url }, rules: RULES });
  assert.equal(textOf(await host.call('team__act', {})), 'ok');
  await http.close();
  for (const _ of [1, 2]) {
    const text = textOf(await host.call('team__act', {}));
    // The first call may have arrived, on a connection that was still open.
    assert.match(text, /cannot be reached for now\. (?:Try again later|It may have taken effect nevertheless)\.$/);
    assert.doesNotMatch(text, /ECONN|127\.0\.0\.1|localhost/);
    const [{ state, problem }] = host.servers() as [ServerView];
    assert.equal(state, 'ready');
    assert.match(problem!, /could not be reached/);
  }
  const again = await serveHttp(server({ name: 'team', tools: { act: tool({}, () => 'ok') } }), { port: Number(port) });
  assert.equal(textOf(await host.call('team__act', {})), 'ok');
  assert.equal(host.servers()[0]!.problem, undefined);
  await again.close();
});

test('[F-78] log messages of a server that floods are passed on at a limited rate', async () => {
  const server = await rawServer([{ name: 'act' }], {
    more: `if (method === 'notifications/initialized') setInterval(() => {
      for (let count = 0; count < 500; count++) send({ method: 'notifications/message', params: { level: 'error', data: 'x' } });
    }, 20);`,
  });
  await using host = await started({ servers: { one: { ...server, ...QUICKLY } }, approve: yes });
  const logs: number[] = [];
  host.on((event) => {
    if (event.kind === 'log') logs[logs.length - 1]!++;
    // The number of omitted messages is reported at the end of each second.
    if (
      event.kind === 'problem' &&
      /more log messages were left out: there were too many in one second/.test(event.message)
    )
      logs.push(0);
  });
  logs.push(0);
  await until(() => logs.length > 2);
  const [, whole] = logs;
  assert.ok(whole! > 0 && whole! <= 100, `${logs.join(', ')} messages`);
});

test('the last progress of a call that floods is reported', async () => {
  const server = await rawServer([{ name: 'act' }], {
    more: `if (method === 'tools/call') {
      const { progressToken } = params._meta;
      for (let progress = 1; progress <= 1000; progress++) send({ method: 'notifications/progress', params: { progressToken, progress } });
      return setTimeout(() => send({ id, result: answers[method] }), 1500);
    }`,
  });
  await using host = await started({ servers: { one: server }, rules: RULES });
  const told: number[] = [];
  await host.call('one__act', {}, { onProgress: ({ progress }) => void told.push(progress) });
  assert.ok(told.length <= 60, `${told.length} reports`);
  assert.equal(told.at(-1), 1000);
});

test('a call to a tool of a server that was refused, and never ran, says so', async () => {
  const servers = { 'my desk': fixture(), plain: server({ name: 'x' }), one: fixture() };
  await using host = await started({ servers, approve: () => ({ allow: false }) });
  for (const name of ['one__greet', 'my_desk__greet--abcdefghijkl'])
    assert.match(textOf(await host.call(name, {})), /its server '.*' is not running \(it was not allowed to start\)/);
  const model = scriptedModel([
    () => ({ calls: [{ tool: 'one__greet', arguments: { name: 'Ada' } }, { tool: 'plain__greet' }] }),
    ({ results }) => ({ text: results.join('\n') }),
  ]);
  const { text } = await host.run({ model, prompt: 'Greet her' });
  assert.match(text, /^one__greet is unavailable: its server 'one' is not running \(it was not allowed to start\)/);
  // A server without tools is not unavailable.
  assert.match(text, /There is no tool with the name "plain__greet"/);
});
