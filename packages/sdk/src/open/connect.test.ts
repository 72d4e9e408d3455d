import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Channel } from '../protocol/channel.ts';
import { ConnectionError, ProtocolError, ToolError } from '../protocol/errors.ts';
import { REVISIONS } from '../protocol/revision.ts';
import { resource } from '../server/resource.ts';
import { prompt } from '../server/prompt.ts';
import { server } from '../server/define.ts';
import { tool } from '../server/tool.ts';
import { serve } from '../transport/serve.ts';
import { memoryPair } from '../transport/memory.ts';
import type { TraceEntry } from '../protocol/trace.ts';
import { connect } from './connect.ts';
import { spawnChannel } from './no-spawn.ts';

const schema = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;
const app = server({
  name: 'math',
  version: '1.0.0',
  instructions: 'Count.',
  tools: {
    add: tool({ input: schema }, ({ a, b }) => `${a + b}`),
    greet: tool({ input: { type: 'object', properties: {} } }, async (_, ctx) => {
      const { name } = (await ctx.ask('who', 'Who are you?', {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      } as const)) as { name: string };
      return `Hello ${name}`;
    }),
    slow: tool(
      { input: { type: 'object', properties: {} } },
      (_, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve('stopped'))),
    ),
    who: tool({ input: { type: 'object', properties: {} } }, (_, ctx) => `${ctx.principal?.id}`),
  },
  resources: { 'config://app': resource({ name: 'config', mimeType: 'text/plain' }, () => 'x') },
  prompts: {
    review: prompt(
      { input: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] } as const },
      ({ code }) => `Review ${code}`,
    ),
  },
});

for (const revision of REVISIONS) {
  test(`a server value is connected to in memory, on any revision: ${revision}`, async () => {
    await using client = await connect(app, {
      revision,
      answers: { who: { name: 'Ada' }, 'Who are you?': { name: 'Ada' } },
      principal: { id: 'me' },
    });
    assert.equal(client.revision, revision);
    assert.equal(client.server?.name, 'math');
    assert.equal(client.instructions, 'Count.');
    assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
    assert.equal(await client.call('who'), 'me');
    await assert.rejects(client.call('add', { a: 1 } as never), ToolError);
    assert.deepEqual((await client.tools().all()).map(({ name }) => name).sort(), ['add', 'greet', 'slow', 'who']);
    assert.equal((await client.read('config://app')).contents[0]?.text, 'x');
    assert.deepEqual((await client.prompt('review', { code: '1' })).messages[0]?.content, {
      type: 'text',
      text: 'Review 1',
    });
    const controller = new AbortController();
    const slow = client.call('slow', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 1);
    await assert.rejects(slow, { name: 'AbortError' });
    if (revision === '2024-11-05' || revision === '2025-03-26') await assert.rejects(client.call('greet'), ToolError);
    else assert.equal(await client.call('greet'), 'Hello Ada');
    const watch = client.watch({ uri: 'config://app' });
    await watch.ready;
    app.changed('config://app');
    for await (const change of watch) {
      assert.deepEqual(change, { uri: 'config://app', missed: false });
      break;
    }
  });

  test(`[BASE-81] [BASE-82] a custom channel needs only three members: ${revision}`, async () => {
    const [near, far] = memoryPair();
    serve(app, far);
    const own: Channel = { send: (text) => near.send(text), incoming: near.incoming, close: () => near.close() };
    await using client = await connect(own, { revision });
    assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
  });
}

for (const revision of REVISIONS) {
  test(`[CANC-3] [CANC-13] [CANC-17] an aborted call is cancelled by a notification that names its request: ${revision}`, async () => {
    const sent: { method?: string; id?: unknown; params?: Record<string, unknown> }[] = [];
    const received: string[] = [];
    await using client = await connect(app, {
      revision,
      onTrace: ({ kind, text }) => (kind === 'sent' ? sent.push(JSON.parse(text) as object) : received.push(text)),
    });
    const controller = new AbortController();
    const slow = client.call('slow', {}, { signal: controller.signal });
    await client.ping();
    controller.abort('changed my mind');
    await assert.rejects(slow, { name: 'AbortError' });
    assert.equal(await client.call('add', { a: 2, b: 2 }), '4');
    const { id } = sent.find(({ method }) => method === 'tools/call')!;
    const cancels = sent.filter(({ method }) => method === 'notifications/cancelled');
    assert.deepEqual(
      cancels.map(({ params }) => params),
      [{ requestId: id, reason: 'changed my mind' }],
    );
    assert.equal(
      received.some((text) => (JSON.parse(text) as { id?: unknown }).id === id),
      false,
    );
  });
}

test('a client without a pinned revision uses the newest', async () => {
  await using client = await connect(app);
  assert.equal(client.revision, REVISIONS[0]);
});

test('closing a client of a server value aborts its running calls', async () => {
  let aborted = false;
  let begin!: () => void;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const waits = tool(
    { input: { type: 'object', properties: {} } },
    (_, ctx) =>
      new Promise<string>((resolve) => {
        begin();
        ctx.signal.addEventListener('abort', () => {
          aborted = true;
          resolve('stopped');
        });
      }),
  );
  const client = await connect(server({ name: 'waits', tools: { slow: waits, add: tool({}, () => 'x') } }));
  const slow = client.call('slow');
  slow.catch(() => {});
  await begun;
  await client.close();
  assert.ok(aborted);
  await assert.rejects(slow, ConnectionError);
  await assert.rejects(client.call('add'), ConnectionError);
  assert.equal(await client.closed, undefined);
});

test('a client of a server in this process that closes while it listens to changes logs no problem', async () => {
  const logged: string[] = [];
  const app = server({ name: 'offers', tools: { add: tool({}, () => 'x') } });
  const client = await connect(app, { log: ({ level, message }) => void logged.push(`${level}: ${message}`) });
  const watch = client.watch({ list: 'tools' });
  await watch.ready;
  await client.close();
  assert.deepEqual(
    logged.filter((line) => !line.startsWith('debug') && !line.startsWith('info')),
    [],
  );
});

test('a client introduces itself by the name and version of this package', async () => {
  let first: { params?: { clientInfo?: unknown } } | undefined;
  await using client = await connect(app, {
    revision: '2025-11-25',
    onTrace: ({ text }) => void (first ??= JSON.parse(text) as object),
  });
  const { name, version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Record<
    string,
    string
  >;
  assert.deepEqual(first?.params?.clientInfo, { name, version });
  assert.equal(client.era, 'legacy');
});

test('an invalid target throws a TypeError that lists the valid kinds', async () => {
  for (const target of [
    undefined,
    null,
    7,
    {},
    { command: 7 },
    [],
    'npx server',
    'ftp://example.com/mcp',
    new URL('file:///mcp'),
  ]) {
    await assert.rejects(
      connect(target as never),
      (error) => error instanceof TypeError && /command/.test(error.message),
      String(target),
    );
  }
});

test('invalid options throw a TypeError', async () => {
  for (const options of [
    { revision: '2020-01-01' },
    { timeout: 0 },
    { timeout: NaN },
    { maxTimeout: -1 },
    { limits: { depth: 0 } },
    { limits: { nonsense: 1 } },
    { logLevel: 'loud' },
  ]) {
    await assert.rejects(connect(app, options as never), TypeError, JSON.stringify(options));
  }
  await using client = await connect(app);
  for (const timeout of [0, -1, '5' as unknown as number])
    await assert.rejects(client.call('add', { a: 1, b: 2 }, { timeout }), TypeError);
  await assert.rejects(client.call('add', { a: 1, b: 2 }, { maxTimeout: NaN }), TypeError);
});

test('arguments that are not JSON reject before anything is sent', async () => {
  const texts: string[] = [];
  await using client = await connect(app, { onTrace: ({ kind, text }) => kind === 'sent' && texts.push(text) });
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const before = texts.length;
  for (const value of [{ a: 1n }, circular])
    await assert.rejects(client.call('add', value as never), { name: 'JsonError' });
  assert.equal(texts.length, before);
});

test('a trace shows every text in both directions with a time', async () => {
  const entries: TraceEntry[] = [];
  const client = await connect(app, { revision: '2025-06-18', onTrace: (entry) => entries.push(entry) });
  await client.call('add', { a: 1, b: 2 });
  await client.close();
  assert.deepEqual(
    entries.map(({ kind, text }) => `${kind} ${(JSON.parse(text) as { method?: string }).method ?? 'answer'}`),
    ['sent initialize', 'received answer', 'sent notifications/initialized', 'sent tools/call', 'received answer'],
  );
  assert.ok(entries.every(({ at }, index) => index === 0 || at >= entries[index - 1]!.at));
});

test('only lines that are not messages appear as junk in a trace, once each', async () => {
  const [near, far] = memoryPair();
  serve(app, far);
  const strange = ['Listening', '{"level":30}', '[]', '{', '"x"', 'null', '{"jsonrpc":"1.0"}'];
  const deep = `{"jsonrpc":"2.0","method":"x","params":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`;
  const malformed = ['{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{}}', '[{"jsonrpc":"2.0","method":7}]', deep];
  const incoming = async function* () {
    yield* strange;
    yield* malformed;
    yield { problem: 'A line was skipped' };
    yield* near.incoming;
  };
  const entries: TraceEntry[] = [];
  const channel = { send: near.send, incoming: incoming(), close: near.close };
  await using client = await connect(channel, { onTrace: (entry) => entries.push(entry) });
  const of = (wanted: string): string[] => entries.filter(({ kind }) => kind === wanted).map(({ text }) => text);
  assert.deepEqual(of('junk'), strange);
  assert.deepEqual(of('lost'), ['A line was skipped']);
  assert.deepEqual(of('received').slice(0, -1), malformed);
  assert.equal(of('sent').length, 1);
  assert.equal(client.era, 'modern');
});

test('a log, a trace or a handler that throws breaks nothing', async () => {
  const fail = (): never => {
    throw new Error('mine');
  };
  await using client = await connect(app, {
    revision: '2025-11-25',
    log: fail,
    onTrace: fail,
    onLog: fail,
    onNotification: fail,
  });
  assert.equal(await client.call('add', { a: 1, b: 2 }, { onProgress: fail }), '3');
});

const folder = mkdtempSync(join(tmpdir(), 'tenon-connect-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
function sdk(path: string): string {
  return pathToFileURL(join(import.meta.dirname, '..', path)).href;
}
function program(name: string, text: string) {
  const path = join(folder, `${name}.ts`);
  writeFileSync(path, text);
  return { command: process.execPath, args: ['--conditions=tenon-source', path] };
}
const real = program(
  'real',
  `import { server } from '${sdk('server/define.ts')}';
import { tool } from '${sdk('server/tool.ts')}';
import { serveStdio } from '${sdk('transport/stdio/serve-stdio.ts')}';
const input = { type: 'object', properties: {} };
await serveStdio(server({ name: 'real', tools: {
  pid: tool({ input }, () => String(process.pid)),
  die: tool({ input }, () => { process.stderr.write('the last words'); process.exit(3); }),
} }));`,
);

test('a command is started, called, traced and stopped', async () => {
  const entries: TraceEntry[] = [];
  const client = await connect(real, { onTrace: (entry) => entries.push(entry) });
  const pid = Number(await client.call('pid'));
  assert.ok(pid > 0 && pid !== process.pid);
  await client.close();
  assert.throws(() => process.kill(pid, 0));
  assert.equal(entries[0]?.kind, 'open');
  assert.ok(entries.some(({ kind }) => kind === 'exit'));
});

test('[F-01] a process that ends during a call rejects it with exit code and last stderr, and is started again for the next call', async () => {
  await using client = await connect(real, { revision: '2025-11-25' });
  const first = await client.call('pid');
  await assert.rejects(client.call('die'), (error) => {
    assert.ok(error instanceof ConnectionError);
    const cause = error.cause as { exitCode?: unknown; stderr?: string };
    assert.equal(cause.exitCode, 3);
    assert.match(String(cause.stderr), /the last words/);
    assert.match(error.message, /the last words/);
    return true;
  });
  const second = await client.call('pid');
  assert.notEqual(second, first);
});

test('with restart: false a process that ended stays ended', async () => {
  await using client = await connect(real, { restart: false });
  await assert.rejects(client.call('die'), ConnectionError);
  await assert.rejects(client.call('pid'), ConnectionError);
  assert.ok((await client.closed) instanceof ConnectionError);
});

for (const [how, answer] of [
  ['at once', ''],
  [
    'after an answer',
    `console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32600, message: 'initialize first' } })),`,
  ],
] as const) {
  test(`with restart: false a process that only the probe made exit is started again: ${how}`, async () => {
    const strict = program(
      `strict-${how.replaceAll(' ', '-')}`,
      `import { createInterface } from 'node:readline';
const initialize = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'strict', version: '1' } };
let begun = false;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  begun ||= method === 'initialize';
  if (!begun) return void (${answer} process.exit(1));
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? initialize : {} }));
});`,
    );
    let processes = 0;
    const onTrace = ({ kind }: TraceEntry): void => void (kind === 'open' && processes++);
    await using client = await connect(strict, { restart: false, onTrace });
    await client.ping();
    assert.equal(client.revision, '2025-06-18');
    assert.equal(processes, 2);
  });
}

test('[F-11] a command that does not exist rejects with an error that says so', async () => {
  await assert.rejects(
    connect({ command: 'there-is-no-such-program-here' }),
    (error) => error instanceof ConnectionError && /ENOENT/.test(error.message),
  );
});

test('a program that exits without a message is started at most twice, and the error contains its stderr', async () => {
  const broken = program('broken', `console.error('cannot find my config'); process.exit(7);`);
  await assert.rejects(
    connect(broken),
    (error) =>
      error instanceof ConnectionError && /code 7/.test(error.message) && /cannot find my config/.test(error.message),
  );
});

test('[VERS-31] a command that turned out to be a legacy server is not probed the next time', async () => {
  const old = program(
    'old',
    `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'server/discover') process.exit(1);
  if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'old', version: '1' } } }));
});`,
  );
  const sent: string[][] = [];
  for (let n = 0; n < 2; n++) {
    const methods: string[] = [];
    await using client = await connect(old, {
      onTrace: ({ kind, text }) => kind === 'sent' && methods.push((JSON.parse(text) as { method: string }).method),
    });
    assert.equal(client.revision, '2024-11-05');
    sent.push(methods);
  }
  assert.deepEqual(sent, [
    ['server/discover', 'initialize', 'notifications/initialized'],
    ['initialize', 'notifications/initialized'],
  ]);
});

test('where processes cannot be started, a command throws a clear error', () => {
  assert.throws(
    () => spawnChannel({ command: 'x' }),
    (error) => error instanceof ConnectionError && /Node/.test(error.message),
  );
});

test('a server in memory that refuses the revision of a pinned client rejects the connection', async () => {
  await assert.rejects(
    connect(app, { revision: '2025-03-26', serve: { revisions: ['2026-07-28'] } }),
    (error) => error instanceof ConnectionError || error instanceof ProtocolError,
  );
});

test('a principal with a blank id is refused', async () => {
  await assert.rejects(connect(server({ name: 'x' }), { principal: { id: ' ' } }), {
    name: 'TypeError',
    message: /`principal` needs an `id`/,
  });
});
