import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { server } from 'tenon';
import { nodeHandler } from 'tenon/http';
import type { PushEvent } from '../src/api/views.ts';
import type { Target, Workbench } from '../src/session/contract.ts';
import { createWorkbench } from '../src/session/workbench.ts';
import { withIsolatedServer } from '../src/session/isolated-server.ts';
import { readScript } from '../src/session/script.ts';
import { createReader } from '../src/session/read-only.ts';
import { openTrace } from '../src/trace/node/open-trace.ts';
import { createTraceStore } from '../src/trace/node/trace-store.ts';
import { turns, until } from '../../../scripts/lib/until.ts';

const require = createRequire(import.meta.url);
const node = process.execPath;
const root = join(import.meta.dirname, '../../..');

/** The official server, built with the official SDK v1. */
const official: Target['launch'] = {
  command: node,
  args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
/** The server of this repository, which supports every revision. */
const ours = { command: node, args: [join(root, 'servers/everything/bin/server-everything.js')] };

function bench(t: TestContext, launch: Target['launch'], more: Partial<Parameters<typeof createWorkbench>[0]> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
  const store = createTraceStore(join(folder, 'x.mcptrace'), 'test 1');
  const workbench = createWorkbench({ store, targets: [{ id: 'it', name: 'it', launch }], by: 'test 1', ...more });
  t.after(async () => {
    await workbench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { workbench, store };
}

function steps(workbench: Workbench): Record<string, string> {
  return Object.fromEntries(workbench.state().servers[0]!.doctor.map(({ id, status }) => [id, status]));
}

test('both eras are tried, and shown with evidence', async (t) => {
  const { workbench, store } = bench(t, ours);
  const view = await workbench.connect('it');
  assert.equal(view.status, 'ready');
  assert.equal(view.revision, '2026-07-28');
  assert.deepEqual(steps(workbench), { spawn: 'pass', stdout: 'pass', modern: 'pass', legacy: 'pass', lists: 'pass' });
  for (const { id, evidence } of view.doctor)
    if (id === 'modern' || id === 'legacy') {
      const [asked, answered] = evidence.map((n) => store.index.at(n));
      assert.deepEqual([asked?.message, answered?.message, answered?.pair], ['request', 'response', asked?.n]);
    }
});

test('a legacy server does not fail because it lacks the newest revision', async (t) => {
  const { workbench } = bench(t, official);
  const view = await workbench.connect('it');
  assert.equal(view.revision, '2025-11-25');
  assert.deepEqual(steps(workbench), { spawn: 'pass', stdout: 'pass', modern: 'skip', legacy: 'pass', lists: 'pass' });
});

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
  test(`a request and its outcome are read from the trace, in ${revision}`, async (t) => {
    const { workbench, store } = bench(t, ours);
    assert.equal((await workbench.connect('it', { revision })).revision, revision);
    const answer = await workbench.request('it', {
      method: 'tools/call',
      params: '{"name":"echo","arguments":{"message":"hi","more":9007199254740993,"rate":1.0}}',
      key: 'a',
    });
    assert.equal(answer.outcome, 'ok');
    const [request] = store.read(answer.request!, answer.request!);
    const [response] = store.read(answer.response!, answer.response!);
    assert.ok(request?.text.includes('9007199254740993,"rate":1.0}'), request?.text);
    assert.ok(response?.text.includes(answer.result!));
    assert.match(answer.result!, /Echo: hi/);
  });

test('lists are returned as the server sent them', async (t) => {
  const { workbench } = bench(t, ours);
  const { lists } = await workbench.connect('it');
  const tools = workbench.list('it', 'tools').entries.map((text) => JSON.parse(text) as { name: string });
  assert.equal(lists.find(({ kind }) => kind === 'tools')?.count, tools.length);
  assert.ok(tools.some(({ name }) => name === 'echo'));
});

test('the tasks of a server are in a list that is kept up to date', async (t) => {
  const { workbench, store } = bench(t, official);
  const listed = () =>
    workbench.list('it', 'tasks').entries.map((text) => JSON.parse(text) as { taskId: string; status: string });
  const view = await workbench.connect('it');
  assert.equal(view.lists.find(({ kind }) => kind === 'tasks')?.count, 0);
  const ask = (method: string, params: object) =>
    workbench.request('it', { method, params: JSON.stringify(params), key: `${method} ${Math.random()}` });
  const call = { name: 'simulate-research-query', arguments: { topic: 'tides' }, task: {} };
  const created = await ask('tools/call', call);
  const { task } = JSON.parse(created.result!) as { task: { taskId: string } };
  await until(() => listed().some(({ taskId, status }) => taskId === task.taskId && status === 'working'));
  const got = await ask('tasks/get', { taskId: task.taskId });
  assert.match(got.result!, /"status":"working"/);

  const cancelled = JSON.parse((await ask('tools/call', call)).result!) as { task: { taskId: string } };
  assert.equal((await ask('tasks/cancel', { taskId: cancelled.task.taskId })).outcome, 'ok');
  await until(() => listed().some(({ taskId, status }) => taskId === cancelled.task.taskId && status === 'cancelled'));

  // It waits until the task has ended.
  const result = await ask('tasks/result', { taskId: task.taskId });
  assert.match(result.result!, /Research Report: tides/);
  await until(() => listed().some(({ taskId, status }) => taskId === task.taskId && status === 'completed'));
  assert.equal(store.index.at(result.request!)?.subject, task.taskId);
});

/** A server of 2025-11-25 with paginated tasks: each page names the next. */
function paging(next: string): Target['launch'] {
  const script = `
    const next = ${next};
    process.stdin.setEncoding('utf8').on('data', (text) => text.split('\\n').filter(Boolean).forEach((line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const page = Number(params?.cursor ?? 0);
      const task = { taskId: 't' + page, status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null };
      const results = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tasks: { list: {} } }, serverInfo: { name: 'p', version: '1' } },
        'tasks/list': { tasks: [task], nextCursor: next(page) },
        'tools/call': { task },
      };
      const result = results[method];
      const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    }));`;
  return { command: node, args: ['-e', script] };
}

test('tasks are listed page by page, and a cycle of pages ends', async (t) => {
  const { workbench, store } = bench(t, paging('(page) => (page < 2 ? String(page + 1) : undefined)'));
  assert.equal((await workbench.connect('it')).lists.find(({ kind }) => kind === 'tasks')?.problem, undefined);
  const ids = workbench.list('it', 'tasks').entries.map((text) => (JSON.parse(text) as { taskId: string }).taskId);
  assert.deepEqual(ids, ['t0', 't1', 't2']);
  // A call that creates a task causes another read, whether or not the server sends a notification.
  await workbench.request('it', { method: 'tools/call', params: '{"name":"x","task":{}}', key: 'a' });
  const asked = () => store.index.all.filter(({ method, message }) => method === 'tasks/list' && message === 'request');
  await until(() => asked().length === 6);

  const circle = bench(t, paging(`(page) => (page === 2 ? '1' : String(page + 1))`)).workbench;
  const [list] = (await circle.connect('it')).lists;
  assert.match(list!.problem!.message, /second time: its pages go in a circle/);
});

test('a server that declares no list of tasks is not asked for one', async (t) => {
  const { workbench, store } = bench(t, ours);
  for (const revision of ['2025-11-25', '2026-07-28']) await workbench.connect('it', { revision });
  assert.ok(store.index.all.some(({ method }) => method === 'tools/list'));
  assert.ok(store.index.all.every(({ method }) => method !== 'tasks/list'));
});

for (const revision of ['2025-11-25', '2026-07-28']) {
  const asks = async (t: TestContext) => {
    const { workbench, store } = bench(t, ours);
    await workbench.connect('it', { revision });
    const answer = workbench.request('it', {
      method: 'tools/call',
      params: '{"name":"trigger-elicitation-request","arguments":{}}',
      key: 'a',
    });
    await until(() => workbench.inbox().length > 0);
    return { workbench, store, answer, item: workbench.inbox()[0]! };
  };

  test(`a question waits in the inbox, with its line, in ${revision}`, async (t) => {
    const { workbench, store, answer, item } = await asks(t);
    assert.deepEqual([item.kind, item.status], ['form', 'open']);
    assert.match(store.read(item.line!, item.line!)[0]!.text, /elicitation\/create/);
    workbench.answer(item.id, { action: 'accept', content: '{"name":"Ann"}' });
    assert.match((await answer).result!, /Ann/);
    assert.equal(workbench.inbox()[0]?.status, 'answered');
    assert.throws(() => workbench.answer(item.id, { action: 'decline' }), /has been answered/);
  });

  test(`an invalid answer reaches the server unchanged, in ${revision}`, async (t) => {
    const { workbench, store, item } = await asks(t);
    workbench.answer(item.id, { action: 'garbage', result: '{"action":42}' });
    await until(() =>
      store
        .read(item.line! + 1, store.index.length)
        .some(({ from, text }) => from === 'client' && text.includes('{"action":42}')),
    );
    await until(() =>
      store.index.all.slice(item.line!).some(({ from, message }) => from === 'server' && message === 'response'),
    );
    workbench.cancel('it', 'a');
  });

  test(`an abandoned question is withdrawn, in ${revision}`, async (t) => {
    const { workbench, answer } = await asks(t);
    workbench.cancel('it', 'a');
    assert.equal((await answer).outcome, 'cancelled');
    await until(() => workbench.inbox()[0]?.status === 'withdrawn');
  });
}

/** Asks every kind of question. */
const asker: Target['launch'] = { command: node, args: [join(import.meta.dirname, 'fixtures/servers/asks.ts')] };

/** Calls a tool of the asker. Returns its text. */
async function callAsker(workbench: Workbench, name: string): Promise<string> {
  const params = `{"name":${JSON.stringify(name)},"arguments":{}}`;
  const { result, error, problem } = await workbench.request('it', { method: 'tools/call', params, key: name });
  return result ?? error ?? problem?.message ?? '';
}

for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
  test(`a script answers before the user sees the question, and other questions wait, in ${revision}`, async (t) => {
    const script = readScript(`{
      "What is on the left?": {"left":"a scripted tree"},
      "confirm": "decline",
      "sampling/createMessage": {"role":"assistant","model":"none","content":{"type":"text","text":"Glomma"}}
    }`);
    const { workbench } = bench(t, asker, { script });
    await workbench.connect('it', { revision });
    assert.match(await callAsker(workbench, 'confirm'), /decline/);
    assert.match(await callAsker(workbench, 'sample'), /Glomma/);
    const both = callAsker(workbench, 'both');
    await until(() => workbench.inbox().some(({ status }) => status === 'open'));
    const [open, ...others] = workbench.inbox().filter(({ status }) => status === 'open');
    assert.deepEqual([open?.message, others], ['What is on the right?', []]);
    workbench.answer(open!.id, { action: 'accept', content: '{"right":"a lake"}' });
    assert.match(await both, /a scripted tree.*a lake/);
    const done = workbench.inbox().map(({ by, answer }) => [by, answer]);
    assert.deepEqual(done.filter(([by]) => by === 'script').length, 3, JSON.stringify(done));
    assert.ok(done.some(([by, answer]) => by === undefined && answer === 'accept'));
    // From now on, only the user answers.
    workbench.setScript('');
    void callAsker(workbench, 'confirm');
    await until(() => workbench.inbox().at(-1)?.status === 'open');
    assert.equal(workbench.state().script, '');
    assert.throws(() => workbench.setScript('{"a":7}'), /answer to "a" is 7/);
    workbench.cancel('it', 'confirm');
  });

  test(`an invalid scripted answer waits for the user, with its problem, in ${revision}`, async (t) => {
    const { workbench } = bench(t, asker, { script: readScript('{"first":{"first":7}}') });
    await workbench.connect('it', { revision });
    void callAsker(workbench, 'chain');
    await until(() => workbench.inbox().length > 0);
    const [item] = workbench.inbox();
    assert.equal(item!.status, 'open');
    assert.match(item!.problem!, /scripted answer cannot be used: .*first/s);
    assert.equal(item!.by, undefined);
    workbench.cancel('it', 'chain');
  });

  test(`a request for roots is in the inbox, and may wait for the user, in ${revision}`, async (t) => {
    const { workbench } = bench(t, asker, { roots: ['file:///work/a'] });
    await workbench.connect('it', { revision });
    assert.match(await callAsker(workbench, 'roots'), /file:\/\/\/work\/a/);
    const [first] = workbench.inbox();
    assert.deepEqual([first?.kind, first?.status, first?.by], ['roots', 'answered', 'setting']);
    await workbench.setRoots('it', ['file:///work/a'], true);
    const answer = callAsker(workbench, 'roots');
    await until(() => workbench.inbox().at(-1)?.status === 'open');
    const { id, line, roots } = workbench.inbox().at(-1)!;
    assert.ok(line !== undefined);
    assert.deepEqual(JSON.parse(roots!), { roots: [{ uri: 'file:///work/a' }] });
    assert.throws(() => workbench.answer(id, { action: 'accept', content: '{"roots":["/b"]}' }), /array "roots"/);
    workbench.answer(id, { action: 'accept', content: '{"roots":[{"uri":"file:///work/b","name":"B"}]}' });
    assert.match(await answer, /file:\/\/\/work\/b.*B/);
    const refused = callAsker(workbench, 'roots');
    await until(() => workbench.inbox().at(-1)?.status === 'open');
    workbench.answer(workbench.inbox().at(-1)!.id, { action: 'decline' });
    // In 2026-07-28 a question cannot be rejected: the call ends with it.
    assert.match(await refused, revision === '2026-07-28' ? /input_required/ : /"isError":true/);
  });
}

test('a connected user does not have to log in for probing the other era', async (t) => {
  const handle = nodeHandler(server({ name: 'new', version: '1', tools: {} }));
  const http = createServer((request, response) => {
    // Up to 2025-11-25 a request has no `Mcp-Method` header.
    if (request.headers['mcp-method'] !== undefined) return void handle(request, response);
    request.resume();
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  const { port } = http.address() as AddressInfo;
  const { workbench } = bench(t, { url: `http://127.0.0.1:${port}/mcp` });
  const view = await workbench.connect('it');
  assert.deepEqual([view.status, view.revision], ['ready', '2026-07-28']);
  assert.deepEqual([workbench.auth('it').status, workbench.auth('it').hops], ['none', []]);
});

test('a frame is sent unchanged, and its answer is in the trace', async (t) => {
  const { workbench, store } = bench(t, ours);
  await workbench.connect('it', { revision: '2025-11-25' });
  const { line } = await workbench.frame('it', '{"jsonrpc":"2.0","id":"x","method":"no/such"}');
  assert.equal(store.index.at(line)?.method, 'no/such');
  await until(() => store.index.at(line)?.pair !== undefined);
  assert.equal(store.index.at(store.index.at(line)!.pair!)?.code, -32601);
  await assert.rejects(workbench.frame('it', 'two\nlines'), /one line/);
});

test('a server that ends at once is blamed, and its last output is shown', async (t) => {
  const { workbench } = bench(t, {
    command: node,
    args: ['-e', 'console.error("DATABASE_URL missing"); process.exit(3)'],
  });
  const view = await workbench.connect('it');
  assert.equal(view.status, 'failed');
  assert.equal(view.problem?.blame, 'server');
  assert.match(view.problem!.message, /exited with code 3[^]*DATABASE_URL missing/);
  const spawned = view.doctor.find(({ id }) => id === 'spawn');
  assert.equal(spawned?.status, 'fail');
  assert.match(spawned!.detail!, /exited with code 3; on stderr: DATABASE_URL missing/);
});

test('a command that does not exist is not blamed on a server, and was asked for nothing', async (t) => {
  const { workbench } = bench(t, { command: 'no-such-program-here', args: [] });
  const { status, problem, doctor } = await workbench.connect('it');
  assert.deepEqual(doctor.map(({ id, status: its, detail }) => [id, its, detail]).slice(1), [
    ['stdout', 'skip', 'not tested'],
    ['modern', 'skip', 'not asked'],
    ['legacy', 'skip', 'not asked'],
    ['lists', 'skip', 'not tested'],
  ]);
  assert.deepEqual([status, problem?.blame], ['failed', 'client']);
  assert.match(problem!.message, /no such program/);
});

test('a port on which nothing listens is explained in words', async (t) => {
  const { workbench } = bench(t, { url: 'http://127.0.0.1:1/mcp' });
  const { status, problem } = await workbench.connect('it');
  assert.deepEqual([status, problem?.blame], ['failed', 'transport']);
  assert.match(problem!.fix!, /Nothing listens at this address/);
});

test('the doctor sees text on stdout that is not a message', async (t) => {
  const script = `console.log('Server listening on stdio'); process.argv.push('stdio'); await import(${JSON.stringify(official.args[0])})`;
  const { workbench } = bench(t, { command: node, args: ['--input-type=module', '-e', script] });
  const view = await workbench.connect('it');
  assert.equal(view.status, 'ready');
  const step = view.doctor.find(({ id }) => id === 'stdout');
  assert.equal(step?.status, 'fail');
  assert.match(step!.detail!, /Server listening/);
});

test('no line of the trace and no view contains secrets of a server', async (t) => {
  const secret = 'hunter2-hunter2';
  const { workbench, store } = bench(t, {
    command: node,
    args: ['-e', `console.error('key is', process.env.API_KEY); process.exit(1)`],
    env: { API_KEY: secret },
  });
  const view = await workbench.connect('it');
  const lines = JSON.stringify(store.read(1, store.index.length));
  assert.match(lines, /key is \[redacted\]/);
  assert.ok(!lines.includes(secret));
  assert.ok(!JSON.stringify(view).includes(secret), JSON.stringify(view));
});

test('a server is stopped after some time without a page, and not before', async (t) => {
  const [{ workbench }, { workbench: other }] = [bench(t, ours, { idleMs: 300 }), bench(t, ours, { idleMs: 300 })];
  await Promise.all([workbench.connect('it'), other.connect('it')]);
  workbench.setViewers(1);
  other.setViewers(0);
  await until(() => other.state().servers[0]?.status === 'closed');
  assert.equal(workbench.state().servers[0]?.status, 'ready');
  workbench.setViewers(0);
  await until(() => workbench.state().servers[0]?.status === 'closed');
});

test('nothing typed into a page is started before confirmation in the terminal', async (t) => {
  let answer!: (yes: boolean) => void;
  const target: Target = { id: 'typed', name: 'typed', launch: official };
  const { workbench } = bench(t, ours, {
    confirm: () => new Promise((resolve) => (answer = resolve)),
    readTargets: async () => [target],
  });
  const events: PushEvent[] = [];
  workbench.watch((event) => events.push(event));
  assert.deepEqual(await workbench.addTargets('node x.js'), {
    status: 'asked-in-terminal',
    servers: ['typed'],
    leftOut: [],
    asked: 'asked-1',
  });
  assert.equal(workbench.state().servers.length, 1);
  answer(false);
  await turns();
  assert.equal(workbench.state().servers.length, 1);
  await workbench.addTargets('node x.js');
  answer(true);
  await until(() => workbench.state().servers.find(({ id }) => id === 'typed')?.status === 'ready');
});

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`a changed list is read again, in ${revision}`, async (t) => {
    const script = `
      import { server, tool } from 'tenon';
      import { serveStdio } from 'tenon/node';
      const app = server({ name: 'grows', version: '1', tools: { grow: tool({}, () => { app.tools.set('grown', tool({}, () => 'new')); return 'done'; }) } });
      await serveStdio(app);`;
    const { workbench } = bench(t, { command: node, args: ['--input-type=module', '-e', script], cwd: root });
    assert.equal(
      (await workbench.connect('it', { revision })).status,
      'ready',
      workbench.state().servers[0]?.problem?.message,
    );
    assert.equal(workbench.list('it', 'tools').entries.length, 1);
    await workbench.request('it', { method: 'tools/call', params: '{"name":"grow","arguments":{}}', key: 'a' });
    await until(() => workbench.list('it', 'tools').entries.length === 2);
  });

test('a frame over HTTP uses the session of the client, and no credentials are in the trace', async (t) => {
  const script = `
    import { server, tool } from 'tenon';
    import { serveHttp } from 'tenon/node';
    const app = server({ name: 'web', version: '1', tools: { hi: tool({}, () => 'hi') } });
    const { url } = await serveHttp(app, { port: 0 });
    console.log(url);`;
  const child = spawn(node, ['--input-type=module', '-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const { workbench, store } = bench(t, {
    url: text.toString().trim(),
    headers: { authorization: 'Bearer very-secret-token' },
  });
  const view = await workbench.connect('it', { revision: '2025-11-25' });
  assert.equal(view.status, 'ready', view.problem?.message);
  const { line } = await workbench.frame('it', '{"jsonrpc":"2.0","id":"x","method":"tools/list"}');
  await until(() => store.index.at(line)?.pair !== undefined);
  assert.equal(store.index.at(line)?.outcome, 'ok');
  const lines = JSON.stringify(store.read(1, store.index.length));
  assert.ok(!lines.includes('very-secret-token'));
  assert.ok(store.index.all.some(({ kind, status }) => kind === 'http' && status === 200));
});

test('a recorded trace is shown with its lists, and nothing of it can be started', async (t) => {
  const { workbench, store } = bench(t, ours);
  await workbench.connect('it', { revision: '2025-11-25' });
  await workbench.disconnect('it');
  store.flush();
  const trace = await openTrace(store.file);
  const reader = createReader(trace, 'test 1', trace.indexed);
  t.after(async () => {
    await reader.close();
    await trace.close();
  });
  await until(() => reader.state().servers.length > 0);
  const [server] = reader.state().servers;
  assert.deepEqual([server?.name, server?.status, reader.state().readOnly], ['it', 'closed', true]);
  assert.equal(reader.list(server!.id, 'tools').entries.length, workbench.list('it', 'tools').entries.length);
  assert.ok(server!.lists.some(({ kind, count }) => kind === 'tools' && count > 5));
  await assert.rejects(reader.connect(server!.id), /only looked at/);
});

test('an unsupported revision is not the fault of the server, and the card shows the requested one', async (t) => {
  const { workbench } = bench(t, official);
  const view = await workbench.connect('it', { revision: '2026-07-28' });
  assert.equal(view.status, 'failed');
  assert.equal(view.pinned, '2026-07-28');
  assert.equal(view.doctor.find(({ id }) => id === 'spawn')?.status, 'pass');
  assert.equal((await workbench.connect('it')).pinned, undefined);
});

test('with a fixed revision, no second process is started', async () => {
  const sessions = await withIsolatedServer(
    { id: 'it', name: 'it', launch: ours },
    { by: 'test 1', bothEras: false },
    async (alone) => {
      await alone.server.connect(undefined);
      return new Set(alone.store.index.all.map(({ session }) => session)).size;
    },
  );
  assert.equal(sessions, 1);
});

test('configured roots reach the server, and an invalid root is rejected without a change', async (t) => {
  const { workbench, store } = bench(t, ours);
  await workbench.connect('it', { revision: '2025-11-25' });
  await workbench.setRoots('it', ['file:///work/notes'], false);
  assert.deepEqual(workbench.state().servers[0]?.roots, ['file:///work/notes']);
  await assert.rejects(workbench.setRoots('it', ['/work/notes'], false), /must be a file:\/\/ URI/);
  assert.deepEqual(workbench.state().servers[0]?.roots, ['file:///work/notes']);
  const answer = await workbench.request('it', {
    method: 'tools/call',
    params: '{"name":"get-roots-list","arguments":{}}',
    key: 'a',
  });
  assert.match(answer.result!, /file:\/\/\/work\/notes/);
  assert.ok(store.read(1, store.index.length).some(({ text }) => text.includes('notifications/roots/list_changed')));
});

test('a server that endlessly asks and withdraws fills neither the inbox nor the page', async (t) => {
  const script = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const form = { type: 'object', properties: {} };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize')
        send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } });
      else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'flood', inputSchema: { type: 'object' } }] } });
      else if (method === 'tools/call') {
        for (let n = 0; n < 5000; n++) {
          send({ id: 'q' + n, method: 'elicitation/create', params: { message: 'm' + n, requestedSchema: form } });
          send({ method: 'notifications/cancelled', params: { requestId: 'q' + n } });
        }
        send({ id, result: { content: [] } });
      } else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: 'no' } });
    });`;
  const { workbench } = bench(t, { command: node, args: ['-e', script] });
  await workbench.connect('it', { revision: '2025-11-25' });
  const { outcome } = await workbench.request('it', {
    method: 'tools/call',
    params: '{"name":"flood","arguments":{}}',
    key: 'a',
  });
  assert.equal(outcome, 'ok');
  assert.ok(workbench.inbox().length <= 1_100, `${workbench.inbox().length} items`);
  assert.ok(JSON.stringify(workbench.state()).length < 2_000_000);
});
