import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ReplayRow } from '@tenon/inspector/trace';
import { ENDS_WITH_PARENT } from '../../../scripts/lib/ends-with-parent.ts';
import { until } from '../../../scripts/lib/until.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { untilOpen } from './ports.ts';
import { failureIn, fixture, type Outcome, tenon, TENON } from './run-tenon.ts';
import { linesOf } from './traces.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon replay '));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function newFile(): string {
  return join(folder, `${++count}.mcptrace`);
}

const node = process.execPath;
const EVERYTHING = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  '../dist/index.js',
);

function rowsOf({ stdout, stderr }: Outcome): ReplayRow[] {
  assert.notEqual(stdout, '', stderr);
  return (JSON.parse(stdout) as { rows: ReplayRow[] }).rows;
}
function statusOf(outcome: Outcome): string[] {
  return rowsOf(outcome).map(({ method, subject = '', status }) => `${method} ${subject}: ${status}`);
}

/** Waits until the recorder has written everything: the recorded server has exited. */
async function ended(file: string): Promise<void> {
  await until(() => readFileSync(file, 'utf8').includes('"kind":"exit"'), 'the end of the server');
}

type Wire = { readonly command: readonly string[] } | { readonly url: string };

interface Session {
  readonly results: readonly unknown[];
  /** The elicitations and sampling requests it received. */
  readonly seen: readonly unknown[];
  /** The progress it received, whether or not the client reported it. */
  readonly progress: readonly unknown[];
}

/** The results of an official client's calls, and the notifications and requests it received meanwhile. */
async function officialSession(wire: Wire): Promise<Session> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { CreateMessageRequestSchema, ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const seen: unknown[] = [];
  const client = new Client({ name: 'a client', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    seen.push(params.messages);
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } };
  });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    seen.push(params.message);
    return { action: 'decline' };
  });
  const transport =
    'url' in wire
      ? new StreamableHTTPClientTransport(new URL(wire.url))
      : new StdioClientTransport({ command: wire.command[0]!, args: wire.command.slice(1), stderr: 'ignore' });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  // Progress is read here, because the client drops a notification that arrives in the same chunk as the response after it.
  const progress: unknown[] = [];
  const { onmessage: take } = transport;
  const watched: typeof take = (message: Parameters<NonNullable<typeof take>>[0]) => {
    if ('method' in message && message.method === 'notifications/progress') progress.push(message.params?.['progress']);
    take?.(message);
  };
  Object.assign(transport, { onmessage: watched });
  const results: unknown[] = [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()];
  const call = async (name: string, args: Record<string, unknown>): Promise<void> => {
    results.push(await client.callTool({ name, arguments: args }));
  };
  results.push(await client.listTools(), await client.listPrompts(), await client.listResourceTemplates());
  await call('echo', { message: 'hello ü' });
  await call('get-sum', { a: 1, b: 2 });
  await call('echo', { message: 'again' });
  await call('echo', { message: 'again' });
  await call('get-structured-content', { location: 'Chicago' });
  await call('get-annotated-message', { messageType: 'error', includeImage: true });
  results.push(
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } },
      undefined,
      { onprogress() {} },
    ),
  );
  await call('trigger-sampling-request', { prompt: 'tell me', maxTokens: 5 });
  await call('trigger-elicitation-request', {});
  await call('no-such-tool', {}).catch((error: Error) => results.push(error.message));
  results.push(await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Berlin' } }));
  results.push(
    await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    }),
  );
  await client.close();
  return JSON.parse(JSON.stringify({ results, seen, progress })) as Session;
}

/** A session of the official client with the official server. */
let everything: { readonly file: string; readonly session: Session };

before(async () => {
  const file = newFile();
  const session = await officialSession({
    command: [node, TENON, 'record', '-q', '-o', file, '--', node, EVERYTHING, 'stdio'],
  });
  await ended(file);
  everything = { file, session };
});

test('a trace of the official client and server is replayed to the same server without differences', async () => {
  const outcome = await tenon(['replay', everything.file, '--', node, EVERYTHING, 'stdio']);
  assert.deepEqual(
    statusOf(outcome).filter((row) => !row.endsWith(': same')),
    [],
  );
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.ok(rowsOf(outcome).length > 15);
});

/** The same results, the same questions, the same progress. */
function same(session: Session): void {
  assert.deepEqual(session, everything.session);
  assert.deepEqual(session.progress, [1, 2]);
}

test('a mock server from that trace gives the official client the same results', async () => {
  same(await officialSession({ command: [node, TENON, 'serve', everything.file] }));
});

test('a mock server over HTTP does, too', async () => {
  const child = spawn(node, [TENON, 'serve', '--http', '0', everything.file], { stdio: ['ignore', 'ignore', 'pipe'] });
  after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  const url = /http:\S+/.exec(String(line))![0];
  same(await officialSession({ url }));
  same(await officialSession({ url }));
  const post = (message: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const begun = await post({ id: 1, method: 'initialize', params: {} });
  const id = begun.headers.get('mcp-session-id')!;
  assert.match(await begun.text(), /"protocolVersion"/);
  assert.equal((await post({ id: 2, method: 'ping' }, { 'mcp-session-id': id })).status, 200);
  assert.equal((await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': id } })).status, 204);
  assert.equal((await post({ id: 3, method: 'ping' }, { 'mcp-session-id': id })).status, 404);
  assert.equal((await post({ id: 3, method: 'ping' }, { origin: 'https://evil.example' })).status, 403);

  const outcome = await tenon(['replay', everything.file, url]);
  assert.deepEqual(
    statusOf(outcome).filter((row) => !row.endsWith(': same')),
    [],
  );
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'close'), [0, null]);
});

test('it is replayed to the mock server without differences', async () => {
  const outcome = await tenon(['replay', everything.file, '--', node, TENON, 'serve', everything.file]);
  assert.deepEqual(
    statusOf(outcome).filter((row) => !row.endsWith(': same')),
    [],
  );
  assert.equal(outcome.code, 0, outcome.stderr);
});

for (const [mode, path] of [
  ['streamableHttp', 'mcp'],
  ['sse', 'sse'],
] as const)
  test(`a trace over stdio is replayed to the official server over HTTP: ${mode}`, async () => {
    const port = await freePort();
    const child = spawn(node, [...ENDS_WITH_PARENT, EVERYTHING, mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    after(() => child.kill('SIGKILL'));
    await untilOpen(port);
    const outcome = await tenon(['replay', everything.file, `http://127.0.0.1:${port}/${path}`]);
    assert.deepEqual(
      statusOf(outcome).filter((row) => !row.endsWith(': same')),
      [],
    );
  });

test('a different response is reported with the path, the recorded and the current value', async () => {
  const changed = newFile();
  writeFileSync(changed, readFileSync(everything.file, 'utf8').replace('Echo: hello ü', 'Echo: HELLO'));
  const outcome = await tenon(['replay', changed, '--', node, EVERYTHING, 'stdio']);
  assert.equal(outcome.code, 9);
  assert.equal(failureIn(outcome)['code'], 'replay_differs');
  const [row, ...more] = rowsOf(outcome).filter(({ status }) => status !== 'same');
  assert.deepEqual(more, []);
  assert.deepEqual([row!.status, row!.subject], ['different', 'echo']);
  assert.deepEqual(row!.differences, [
    { path: 'result.content[0].text', recorded: '"Echo: HELLO"', now: '"Echo: hello ü"' },
  ]);
});

/** A trace of single calls, each to a new server process. */
async function changingTrace(mode = 'same'): Promise<string> {
  const file = newFile();
  const child = spawn(node, [TENON, 'record', '-q', '-o', file, '--', node, fixture('changing.mjs'), mode], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let got = '';
  child.stdout.on('data', (chunk) => (got += String(chunk)));
  let id = 0;
  const ask = async (method: string, params?: object): Promise<{ nextCursor?: string }> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    const answer = (): string | undefined => got.split('\n').find((each) => each.includes(`"id":${id},`));
    await until(() => answer() !== undefined);
    return (JSON.parse(answer()!) as { result: { nextCursor?: string } }).result;
  };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  let cursor: string | undefined;
  do ({ nextCursor: cursor } = await ask('tools/list', cursor === undefined ? undefined : { cursor }));
  while (cursor !== undefined);
  await ask('tools/call', { name: 'a' });
  await ask('numbers');
  child.stdin.end();
  await once(child, 'close');
  return file;
}

function replayed(file: string, mode: string, ...options: readonly string[]): Promise<Outcome> {
  return tenon(['replay', ...options, file, '--', node, fixture('changing.mjs'), mode]);
}

test('values that a server generates each time are not differences: cursors, times, ids, its version', async () => {
  const outcome = await replayed(await changingTrace(), 'same');
  assert.deepEqual(statusOf(outcome), [
    'initialize : same',
    'tools/list : same',
    'tools/list : same',
    'tools/list : same',
    'tools/call a: same',
    'numbers : same',
  ]);
  assert.equal(outcome.code, 0);
});

test('real differences are found: a list entry by its name, a number by its last digit', async () => {
  const file = await changingTrace();
  const renamed = await replayed(file, 'renamed');
  const rows = rowsOf(renamed).filter(({ status }) => status !== 'same');
  assert.deepEqual(
    rows.flatMap(({ method, differences }) => differences.map(({ path }) => `${method} ${path}`)),
    ['tools/list result.tools["d"]', 'tools/list result.tools["e"]', 'numbers result.n'],
  );
  const [gone, , number] = rows.flatMap(({ differences }) => differences);
  assert.deepEqual([gone!.recorded.slice(0, 11), gone!.now], ['{"name":"d"', 'nothing']);
  assert.deepEqual([number!.recorded, number!.now], ['9007199254740993', '9007199254740992']);

  const reordered = await replayed(file, 'reordered');
  assert.deepEqual(statusOf(reordered).slice(0, 4), [
    'initialize : same',
    'tools/list : same',
    'tools/list : same',
    'tools/list : same',
  ]);
});

test('responses of a server that exits or does not respond are reported as missing', async () => {
  const file = await changingTrace();
  const died = await replayed(file, 'dies');
  assert.equal(died.code, 9);
  const missing = rowsOf(died).filter(({ status }) => status === 'missing');
  assert.deepEqual(
    missing.map(({ method }) => method),
    ['tools/call', 'numbers'],
  );
  assert.match(missing[0]!.reason!, /exited with code 3/);
  const silent = await replayed(file, 'silent', '--timeout', '3000');
  assert.deepEqual(statusOf(silent).slice(4), ['tools/call a: missing', 'numbers : different']);
});

/** A trace of `initialize` and, an hour later, `numbers`. */
function slowTrace(): string {
  const said = (n: number, at: number, from: string, message: object): string =>
    JSON.stringify({
      n,
      at,
      session: 's',
      kind: 'message',
      from,
      text: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const result = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'changing', version: '1' },
  };
  const file = newFile();
  writeFileSync(
    file,
    [
      '{"mcptrace":1,"began":"2026-11-21T15:00:00.000Z","by":"a test"}',
      said(1, 0, 'client', { id: 1, method: 'initialize', params: {} }),
      said(2, 5, 'server', { id: 1, result }),
      said(3, 3_600_000, 'client', { id: 2, method: 'numbers' }),
      said(4, 3_600_001, 'server', { id: 2, result: { n: 1 } }),
    ].join('\n'),
  );
  return file;
}

test('only with --speed messages keep their original timing', async () => {
  const file = slowTrace();
  const methodsSent = async (made: string): Promise<unknown[]> =>
    (await linesOf(made))
      .filter(({ from, kind }) => from === 'client' && kind === 'message')
      .map(({ text }) => (JSON.parse(text) as { method: string }).method);
  for (const options of [[], ['--speed', '1000000']]) {
    const made = newFile();
    await replayed(file, 'same', '-o', made, ...options);
    assert.deepEqual(await methodsSent(made), ['initialize', 'numbers']);
  }
  // Interrupt it when the first request has been answered, to check that the second one, an hour later, has not been sent.
  const made = newFile();
  const child = spawn(
    node,
    [TENON, 'replay', '--speed', '1', '-o', made, file, '--', node, fixture('changing.mjs'), 'same'],
    { stdio: 'ignore' },
  );
  after(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  await until(() => existsSync(made) && readFileSync(made, 'utf8').includes('serverInfo'), 'the first answer');
  child.kill('SIGINT');
  assert.deepEqual(await closed, [130, null]);
  assert.deepEqual(await methodsSent(made), ['initialize']);
});

test('questions with a new state each time get the recorded answers (2026-07-28), and -o records them', async () => {
  const { connect } = await import('tenon/client');
  const file = newFile();
  const server = [node, TENON, 'run', fixture('modern.ts')];
  const client = await connect(
    { command: node, args: [TENON, 'record', '-q', '-o', file, '--', ...server], inheritEnv: ['PATH'] },
    { revision: '2026-07-28', answers: { reason: { reason: 'it is time' } } },
  );
  assert.equal(await client.call('deploy'), 'Deployed: it is time');
  assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
  await client.close();
  await ended(file);
  const again = newFile();
  const outcome = await tenon(['replay', '-o', again, file, '--', ...server]);
  assert.deepEqual(
    statusOf(outcome).filter((row) => !row.endsWith(': same')),
    [],
  );
  assert.ok(statusOf(outcome).filter((row) => row.startsWith('tools/call deploy')).length === 2);
  const lines = await linesOf(again);
  assert.equal(lines[0]!.about!.recorder, 'client');
  assert.ok(lines.some(({ text }) => text.includes('Deployed: it is time')));

  // A mock server of the trace, for a client that answers differently.
  const other = await connect(
    { command: node, args: [TENON, 'serve', file] },
    { revision: '2026-07-28', answers: { reason: { reason: 'because' } } },
  );
  assert.equal(await other.call('deploy'), 'Deployed: it is time');
  await other.close();
});

test('a mock server names an unknown request and the nearest recorded one', async () => {
  const { connect } = await import('tenon/client');
  const client = await connect({ command: node, args: [TENON, 'serve', '-q', everything.file] });
  assert.equal(client.revision, '2025-11-25');
  await assert.rejects(
    client.request('tools/call', { name: 'echo', arguments: { message: 'hello you' } }),
    (error: Error & { code: number; data: unknown }) => {
      assert.equal(error.code, -32602);
      assert.match(
        error.message,
        /^The trace has no tools\/call of echo with these params\. The nearest is line \d+: \{"name":"echo","arguments":\{"message":"/,
      );
      assert.match(JSON.stringify(error.data), /"nearest":\{"line":\d+/);
      return true;
    },
  );
  await assert.rejects(
    client.request('tools/call', { name: 'unknown' }),
    /has no tools\/call of unknown\. The nearest is line/,
  );
  await assert.rejects(client.request('resources/list'), {
    code: -32601,
    message: 'The trace has no resources/list',
  });
  await client.close();
});

test('a trace with several sessions requires the name of one', async () => {
  const file = newFile();
  const two = readFileSync(await changingTrace(), 'utf8')
    .trimEnd()
    .split('\n');
  const [head, ...lines] = two;
  const other = lines.map((line) => {
    const value = JSON.parse(line) as { n: number; session: string; cause?: number };
    return JSON.stringify({
      ...value,
      n: value.n + lines.length,
      at: 100_000,
      session: 'other',
      cause: value.cause === undefined ? undefined : value.cause + lines.length,
    });
  });
  writeFileSync(file, [head, ...lines, ...other].join('\n'));
  const unnamed = await replayed(file, 'same');
  assert.equal(unnamed.code, 2);
  assert.match(
    String(failureIn(unnamed)['message']),
    /several sessions: choose one of changing \(6 requests\), other \(6 requests\)/,
  );
  assert.equal((await replayed(file, 'same', '--session', 'other')).code, 0);
  assert.equal((await replayed(file, 'same', '--session', 'third')).code, 2);
});

test('a file that is not a trace is reported', async () => {
  const missing = await tenon(['replay', join(folder, 'nothing'), '--', node]);
  assert.deepEqual([missing.code, failureIn(missing)['code']], [2, 'trace_unreadable']);
  const none = await tenon(['serve', fixture('peer.mjs')], { input: '' });
  assert.deepEqual([none.code, failureIn(none)['code'], none.stdout], [2, 'trace_not_a_trace', '']);
  assert.equal((await tenon(['replay', '--', node])).code, 2);
  assert.equal((await tenon(['serve', everything.file, '--', node])).code, 2);
});
