// Invalid values of a peer do not stop programs between it and other peers: there is no uncaught exception, each request is answered or
// fails with a message, and recording continues.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { openTrace, replayTrace } from '@tenon/inspector/trace';
import { sample } from '../../../scripts/lib/soak.ts';
import { TENON } from './run-tenon.ts';
import { linesOf } from './traces.ts';
import {
  CALL,
  clientRequests,
  MEMBERS,
  rawRequests,
  reasons,
  reported,
  RESULT,
  serverReplies,
  withValueAt,
  WRONG_KINDS,
  wrongMessages,
} from './wrong-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-kinds-'));
after(() => rmSync(folder, { recursive: true, force: true }));
function at(name: string): string {
  return join(folder, name);
}

interface Running {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout and stderr together contain this. Rejects if the process exits before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  readonly closed: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Starts `tenon` so that uncaught exceptions and rejections end it. */
function started(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [TENON, ...args], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '--unhandled-rejections=strict' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  after(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    wake();
  });
  child.stdin.on('error', () => {});
  let isOver = false;
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      resolve({ code, signal });
      wake();
    });
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    closed,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(stdout) ?? pattern.exec(stderr);
          if (found === null && !isOver) return;
          waiting.delete(look);
          if (found === null) reject(new Error(`It ended before it said ${pattern}: ${stderr}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

/**
 * `npm test` tries every STEP-th row. It is a prime below the number of kinds that divides none of the numbers of places, so that
 * each place is tried with some kind and each kind in many places.
 */
const STEP = 11;

const JSON_TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const FAULTS = /uncaught|unhandled|recording stopped|\bat .+:\d+:\d+\)/i;

interface Answer {
  /** Undefined if the connection was broken. */
  readonly status: number | undefined;
  readonly body: string;
}

/** Sends a request, and resolves with its outcome. */
function asked(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, agent: false, insecureHTTPParser: true, maxHeaderSize: 4 << 20 });
    sent.once('response', (answer) => {
      let text = '';
      const done = (): void => resolve({ status: answer.statusCode, body: text });
      answer.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      answer.once('end', done).once('error', done).once('close', done);
    });
    sent.once('error', (error) => resolve({ status: undefined, body: error.message }));
    // So that an unanswered request is reported by name instead of a timeout of the whole test.
    sent.setTimeout(20_000, () => sent.destroy(new Error('it was not answered')));
    sent.end(body);
  });
}

/** Sends bytes, then closes the connection: at once, or after the first response bytes. Returns what was received. */
function brokenOff(url: URL, bytes: string, when: 'at once' | 'answered'): Promise<string> {
  return new Promise((resolve) => {
    let came = '';
    const socket = connect(Number(url.port), url.hostname);
    socket.once('connect', () => socket.write(bytes, 'latin1', () => when === 'at once' && socket.resetAndDestroy()));
    socket.setEncoding('latin1').on('data', (text: string) => {
      came += text;
      socket.resetAndDestroy();
    });
    socket.setTimeout(20_000, () => {
      came = 'it was not answered';
      socket.destroy();
    });
    socket.once('error', () => {});
    socket.once('close', () => resolve(came));
  });
}

/** The raw bytes that the server at the URL sends. */
let reply = '';
/** The same, depending on the request. */
let replyTo = (_request: string): string => reply;
const server = createServer((socket) => {
  socket.on('error', () => {});
  let seen = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    seen += text;
    const head = seen.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = Number(/^content-length: *(\d+)/im.exec(seen)?.[1] ?? 0);
    const isChunked = /^transfer-encoding: *chunked/im.test(seen.slice(0, head));
    if (isChunked ? !seen.endsWith('0\r\n\r\n') : seen.length < head + 4 + length) return;
    const request = seen;
    seen = '';
    socket.end(Buffer.from(replyTo(request)));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

test('a proxy forwards, or explains, wrong values of every kind from servers and clients', async () => {
  const file = at('proxy.mcptrace');
  reply = reported(RESULT);
  const proxy = started('proxy', '-o', file, target);
  const [, json] = await proxy.says(/^(\{.*\})$/m);
  const { url } = JSON.parse(json!) as { url: string };
  const origin = new URL(url).origin;
  const silent: string[] = [];
  let count = 0;
  const good = async (): Promise<void> => {
    reply = reported(RESULT);
    const { status, body } = await asked(url, 'POST', {}, JSON.stringify(CALL));
    assert.deepEqual([status, body], [200, JSON.stringify(RESULT)], proxy.stderr());
    count++;
  };
  for (const [what, method, path, own] of sample([...serverReplies(target, RESULT), ...reasons()], STEP)) {
    reply = own;
    const { status, body } = await asked(
      path === '' ? url : origin + path,
      method,
      {},
      method === 'POST' ? JSON.stringify(CALL) : undefined,
    );
    count++;
    if (status === undefined) silent.push(`${what}: ${body}`);
    assert.equal(proxy.child.exitCode, null, `${what}: ${proxy.stderr()}`);
  }
  await good();
  assert.deepEqual(silent, [], 'each request is answered');
  reply = reported(RESULT);
  for (const [what, method, headers, body] of sample([...clientRequests()], STEP)) {
    const { status } = await asked(url, method, headers, body);
    count++;
    assert.notEqual(status, undefined, `${what}: ${proxy.stderr()}`);
  }
  await good();
  proxy.child.kill('SIGINT');
  assert.deepEqual(await proxy.closed, { code: 0, signal: null });
  assert.doesNotMatch(proxy.stderr(), FAULTS);
  const ends = (await linesOf(file)).filter(({ http }) => http?.part === 'end').length;
  assert.equal(ends, count, 'every exchange is recorded to its end');
});

test('a recorder forwards every line of both sides unchanged, and records it', async () => {
  const file = at('record.mcptrace');
  // Echo the client's values, so that the server sends them, too.
  const echo = 'process.stdin.pipe(process.stdout)';
  const recorder = started('record', '-o', file, '--', process.execPath, '-e', echo);
  const texts = sample([...wrongMessages()], STEP).map(([, text]) => `${text}\n`);
  recorder.child.stdin!.end(texts.join(''));
  assert.deepEqual(await recorder.closed, { code: 0, signal: null }, recorder.stderr());
  assert.equal(recorder.stdout(), texts.join(''));
  assert.doesNotMatch(recorder.stderr(), FAULTS);
  const lines = await linesOf(file);
  for (const side of ['client', 'server'])
    assert.equal(
      lines.filter(({ kind, from }) => (kind === 'message' || kind === 'junk') && from === side).length,
      texts.length,
      side,
    );
});

for (const [name, start] of [
  [
    'a proxy',
    async () => {
      reply = reported(RESULT);
      const running = started('proxy', '-o', at('raw.mcptrace'), target);
      const [, json] = await running.says(/^(\{.*\})$/m);
      return { running, url: (JSON.parse(json!) as { url: string }).url };
    },
  ],
  [
    'a replayed server',
    async () => {
      const running = started('serve', traceOf('served-raw.mcptrace', CONVERSATION), '--http', '0');
      const [, url] = await running.says(/ at (http\S+)/);
      return { running, url: url! };
    },
  ],
] as const)
  test(`${name} keeps running, whatever bytes a client sends and whenever it disconnects`, async () => {
    const { running, url } = await start();
    const { host } = new URL(url);
    const silent: string[] = [];
    for (const [what, bytes] of sample([...rawRequests(host)], STEP))
      for (const when of ['answered', 'at once'] as const) {
        const came = await brokenOff(new URL(url), bytes, when);
        // Node closes the connection of a CONNECT without a handler.
        const isAnswered = came.startsWith('HTTP/1.1 ') || (came === '' && bytes.startsWith('CONNECT '));
        if (when === 'answered' && !isAnswered) silent.push(`${what}: ${came}`);
        assert.equal(running.child.exitCode, null, `${what}, broken off ${when}: ${running.stderr()}`);
      }
    const { status, body } = await asked(url, 'POST', JSON_TYPES, JSON.stringify(CALL));
    assert.equal(status, 200);
    assert.match(body, /"content"/);
    running.child.kill('SIGINT');
    await running.closed;
    assert.doesNotMatch(running.stderr(), FAULTS);
    assert.deepEqual(silent, [], 'each request is answered');
  });

const SESSION = { name: 's', transport: 'stdio', target: 'x', recorder: 'client' };

/** A trace of a session with one call. `more`: additional lines. */
function traceOf(name: string, messages: readonly (readonly [from: 'client' | 'server', message: unknown])[]): string {
  const file = at(name);
  const lines = [
    { mcptrace: 1, began: '2026-01-01T00:00:00.000Z', by: 'test' },
    { n: 1, at: 0, session: 's', kind: 'session', text: 's', about: SESSION },
    ...messages.map(([from, message], index) => ({
      n: index + 2,
      at: index + 1,
      session: 's',
      kind: 'message',
      from,
      text: JSON.stringify(message) ?? '',
    })),
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
const GREETING = {
  jsonrpc: '2.0',
  id: 0,
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
};
const CONVERSATION = [
  ['client', INITIALIZE],
  ['server', GREETING],
  ['client', INITIALIZED],
  ['client', CALL],
  ['server', RESULT],
] as const;

test('a replayed server on stdin and stdout responds to every request with an id, and keeps running', async () => {
  const serving = started('serve', traceOf('served.mcptrace', CONVERSATION));
  const send = (message: unknown): void => void serving.child.stdin!.write(`${JSON.stringify(message)}\n`);
  send(INITIALIZE);
  send(INITIALIZED);
  for (const [, text] of sample([...wrongMessages()], STEP)) serving.child.stdin!.write(`${text}\n`);
  let id = 1_000_000;
  const pointers = MEMBERS.filter((name) => name !== '/id' && name !== '/method' && name !== '/jsonrpc');
  const rows = WRONG_KINDS.flatMap(([kind, value]) => pointers.map((pointer) => ({ kind, value, pointer })));
  for (const { kind, value, pointer } of sample(rows, STEP)) {
    const message = withValueAt({ ...CALL, id: ++id }, pointer, value) as Record<string, unknown>;
    if ('result' in message || 'error' in message) continue;
    send(message);
    await serving
      .says(new RegExp(`"id":${id}\\b`))
      .catch((error: Error) => assert.fail(`${pointer} ${kind}: ${error.message}`));
  }
  send({ ...CALL, id: 'last' });
  await serving.says(/"id":"last","result":\{"content"/);
  serving.child.stdin!.end();
  assert.deepEqual(await serving.closed, { code: 0, signal: null }, serving.stderr());
  assert.doesNotMatch(serving.stderr(), FAULTS);
});

test('a replayed server responds to every request over HTTP, and keeps running', async () => {
  const serving = started('serve', traceOf('served-http.mcptrace', CONVERSATION), '--http', '0');
  const [, url] = await serving.says(/ at (http\S+)/);
  const silent: string[] = [];
  const good = async (): Promise<void> => {
    const { status, body } = await asked(url!, 'POST', JSON_TYPES, JSON.stringify(CALL));
    assert.equal(status, 200);
    assert.match(body, /"content"/);
  };
  for (const [what, method, headers, body] of sample([...clientRequests()], STEP)) {
    const { status, body: said } = await asked(url!, method, headers, body);
    if (status === undefined) silent.push(`${what}: ${said}`);
  }
  assert.deepEqual(silent, []);
  await good();
  serving.child.kill('SIGINT');
  await serving.closed;
  assert.doesNotMatch(serving.stderr(), FAULTS);
});

/** A trace with this number of successful calls. */
function traceOfCalls(name: string, count: number): string {
  return traceOf(name, [
    ...CONVERSATION.slice(0, 3),
    ...Array.from({ length: count }, (_, index) => index + 1).flatMap(
      (id) =>
        [
          ['client', { ...CALL, id }],
          ['server', { ...RESULT, id }],
        ] as const,
    ),
  ]);
}

function rowsIn(stdout: string): readonly { readonly status: string }[] {
  return (JSON.parse(stdout) as { rows: { status: string }[] }).rows;
}

test('a replay compares every response of a stdio server, whatever wrong values it contains', async () => {
  const lines = sample([...wrongMessages()], STEP).map(([, text]) => text);
  writeFileSync(at('answers.json'), JSON.stringify(lines));
  // Answers each call with the next of these lines, then with a valid response, so that an invalid one does not keep it waiting.
  const source = `
    const lines = JSON.parse(require('node:fs').readFileSync('answers.json', 'utf8'));
    const write = (text) => process.stdout.write(text + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') return write(${JSON.stringify(JSON.stringify(GREETING))}.replace('"id":0', '"id":' + JSON.stringify(id)));
      if (method !== 'tools/call') return;
      write((lines.shift() ?? '').replace('"id":1,', '"id":' + JSON.stringify(id) + ','));
      write(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'hi' }] } }));
    });`;
  const trace = traceOfCalls('calls.mcptrace', lines.length);
  const replaying = started('replay', trace, '-o', at('replayed.mcptrace'), '--', process.execPath, '-e', source);
  const { code } = await replaying.closed;
  assert.equal(code, 9, replaying.stderr());
  assert.doesNotMatch(replaying.stderr(), FAULTS);
  const compared = rowsIn(replaying.stdout()).filter(({ status }) => status !== 'extra');
  // If one is missing, the server could not read a message of the replay.
  assert.deepEqual(
    compared.filter(({ status }) => status !== 'same' && status !== 'different'),
    [],
  );
  assert.equal(compared.length, lines.length + 1);
  await linesOf(at('replayed.mcptrace'));
});

/** On a busy machine one of them may exceed the timeout of the replay. */
const GOOD_CALLS = 20;

test('a replay compares every response of a server at a URL, whatever wrong values it contains', async () => {
  const replies = sample(
    [...serverReplies(target, RESULT)].filter(([, method, path]) => method === 'POST' && path === ''),
    STEP,
  ).map(([, , , text]) => text);
  const left = [...replies];
  replyTo = (request) => {
    if (request.includes('"initialize"')) return reported(GREETING);
    if (!request.includes('"tools/call"')) return 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n';
    const [, id] = /"id":(\d+)/.exec(request)!;
    return (left.shift() ?? reported(RESULT)).replace('"id":1,', `"id":${id},`);
  };
  const trace = traceOfCalls('posts.mcptrace', replies.length + GOOD_CALLS);
  const replaying = started('replay', trace, '--timeout', '200', '-o', at('replayed-http.mcptrace'), target);
  const { code } = await replaying.closed;
  assert.equal(code, 9, replaying.stderr());
  assert.doesNotMatch(replaying.stderr(), FAULTS);
  const compared = rowsIn(replaying.stdout()).filter(({ status }) => status !== 'extra');
  // In addition to initialize and successful calls.
  assert.equal(compared.length, replies.length + 1 + GOOD_CALLS);
  assert.ok(compared.slice(-GOOD_CALLS).some(({ status }) => status === 'same'));
  await linesOf(at('replayed-http.mcptrace'));
});

/** Endpoint URLs where no server accepts messages. */
const ADDRESSES = ['//evil.example/x', 'http://evil.example/', 'javascript:1', 'http://[', '#', '?', '/\\x'];

test('a replay settles, whatever a server at a URL sends for initialize and on its streams', async () => {
  const refused = 'HTTP/1.1 405 X\r\ncontent-length: 0\r\n\r\n';
  const taken = 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n';
  const replies = [...serverReplies(target, GREETING)].filter(([, , path]) => path === '');
  const addresses = ADDRESSES.map((address) => [
    `endpoint: ${address}`,
    '',
    '',
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: ${address}\n\n`,
  ]);
  /** The responses of servers with one wrong value, by their path. */
  const servers = [
    ...replies.map(([what, , , text]) => ({ what: `initialize, ${what}`, initialize: text, stream: refused })),
    ...replies.map(([what, , , text]) => ({ what: `stream, ${what}`, initialize: reported(GREETING), stream: text })),
    ...[...replies, ...addresses].map(([what, , , text]) => ({
      what: `HTTP with SSE, ${what}`,
      initialize: refused,
      stream: text!,
    })),
  ];
  replyTo = (text) => {
    const [, method, index] = /^(\w+) \/(\d+)/.exec(text) ?? [];
    const server = servers[Number(index)];
    if (server === undefined) return taken;
    if (method === 'GET') return server.stream;
    if (text.includes('"initialize"')) return server.initialize;
    return text.includes('"tools/call"') ? reported(RESULT) : taken;
  };
  const trace = await openTrace(traceOf('greeted.mcptrace', CONVERSATION));
  await trace.indexed;
  const wordless: string[] = [];
  const left = sample([...servers.entries()], STEP).slice();
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { what }] = next;
      const url = new URL(`/${index}/mcp`, target).href;
      await replayTrace(trace, { url }, { timeoutMs: 100 }).catch(({ name, message, stack }: Error) => {
        if (message.length <= 5 || name === 'TypeError' || name === 'RangeError') wordless.push(`${what}: ${stack}`);
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  await trace.close();
  assert.deepEqual(wordless, []);
});

test('a trace with arbitrary messages can be served and replayed, or is rejected with a message', async () => {
  for (const [name, base] of [
    ['call', CALL],
    ['result', RESULT],
    ['greeting', GREETING],
    ['initialize', INITIALIZE],
  ] as const) {
    const wrong = WRONG_KINDS.flatMap(([, value]) =>
      MEMBERS.map(
        (pointer) =>
          [base === RESULT || base === GREETING ? 'server' : 'client', withValueAt(base, pointer, value)] as const,
      ),
    );
    const file = traceOf(`wrong-${name}.mcptrace`, [...CONVERSATION, ...sample(wrong, STEP)]);
    const serving = started('serve', file);
    serving.child.stdin!.end(`${JSON.stringify({ ...CALL, id: 'last' })}\n`);
    await serving.closed;
    assert.match(serving.stdout() + serving.stderr(), /"id":"last","(?:result|error)"/, `${name}: ${serving.stderr()}`);
    const replaying = started('replay', file, '--timeout', '50', '--', process.execPath, TENON, 'serve', file);
    await replaying.closed;
    const web = started('serve', file, '--http', '0');
    const [, url] = await web.says(/ at (http\S+)/);
    for (const message of [INITIALIZE, CALL]) {
      const { status, body } = await asked(url!, 'POST', JSON_TYPES, JSON.stringify(message));
      assert.notEqual(status, undefined, `${name}: ${body}`);
    }
    web.child.kill('SIGINT');
    await web.closed;
    for (const { stderr } of [serving, replaying, web]) assert.doesNotMatch(stderr(), FAULTS, name);
  }
});
