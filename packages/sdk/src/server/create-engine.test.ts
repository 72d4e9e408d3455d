import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { wholeText } from '../protocol/message-text.ts';
import type { Principal } from '../protocol/request-context.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogEntry } from '../protocol/log.ts';
import type { Revision } from '../protocol/revision.ts';
import { createEngine } from './create-engine.ts';
import { server, type ServerOptions } from './define.ts';
import type { EngineOptions } from './engine.ts';
import { fakeRequestContext } from './fixtures/request-context.ts';
import { resource } from './resource.ts';
import { type Tool, tool } from './tool.ts';

function nothing(): string {
  return '';
}
const COLOR = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] } as const;

function stage(options: Omit<ServerOptions, 'name'> = {}, served: EngineOptions = {}) {
  const app = server({ name: 'test', ...options } as ServerOptions);
  const log: LogEntry[] = [];
  const engine = createEngine(app, { log: (entry) => void log.push(entry), ...served });
  return { app, engine, log };
}

async function ask(
  engine: ReturnType<typeof createEngine>,
  method: string,
  params: JsonObject = {},
  caller: { principal?: Principal; revision?: Revision } = {},
): Promise<JsonObject> {
  return JSON.parse(wholeText(await engine.answer(method, params, fakeRequestContext(caller)))) as JsonObject;
}

test('a method of another revision, or that needs what the server does not offer, is -32601', async () => {
  const { engine } = stage({ tools: {} });
  const unknown = { code: -32601 };
  for (const method of [
    'resources/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
    'initialize',
    'constructor',
    '__proto__',
    '',
  ]) {
    await assert.rejects(ask(engine, method), unknown, method);
  }
  await assert.rejects(ask(engine, 'server/discover', {}, { revision: '2025-11-25' }), unknown);
  assert.deepEqual((await ask(engine, 'tools/list'))['tools'], []);
});

test('a call that paused on one connection continues on another, with the default key and store', async () => {
  let acts = 0;
  const make = () =>
    server({
      name: 'deploy',
      tools: {
        run: tool({}, async (_, ctx) => {
          const { color } = await ctx.ask('color', 'Which?', COLOR);
          const n = await ctx.once('act', () => ++acts);
          return `${color} ${n}`;
        }),
      },
    });
  const params = { name: 'run' };
  const paused = await ask(createEngine(make()), 'tools/call', params);
  const retry = {
    ...params,
    requestState: paused['requestState'],
    inputResponses: { color: { action: 'accept', content: { color: 'red' } } },
  };
  // Delivered twice, over two connections, to a server that is created anew for each.
  for (let time = 0; time < 2; time++)
    assert.deepEqual((await ask(createEngine(make()), 'tools/call', retry))['content'], [
      { type: 'text', text: 'red 1' },
    ]);
});

test('state of one server is not valid for another, even with the same keys', async () => {
  const keys = ['a sealing key of enough length'];
  const make = (name: string) =>
    createEngine(
      server({ name, tools: { run: tool({}, async (_, ctx) => (await ctx.ask('color', 'Which?', COLOR)).color) } }),
      { keys },
    );
  const { requestState } = await ask(make('one'), 'tools/call', { name: 'run' });
  const retry = {
    name: 'run',
    requestState,
    inputResponses: { color: { action: 'accept', content: { color: 'red' } } },
  };
  await assert.rejects(ask(make('two'), 'tools/call', retry), { code: -32602 });
  assert.equal((await ask(make('one'), 'tools/call', retry))['resultType'], 'complete');
});

test('lists are encoded once, however often a server is served', async () => {
  let read = 0;
  const made: Tool = tool({}, nothing);
  const counted: Tool = {
    ...made,
    compile(name) {
      const compiled = made.compile(name);
      return {
        ...compiled,
        get entry() {
          read++;
          return compiled.entry;
        },
      };
    },
  };
  const app = server({ name: 'test', tools: { counted } });
  for (let time = 0; time < 3; time++) await ask(createEngine(app), 'tools/list');
  assert.equal(read, 1);
});

test('a capability that was offered once stays offered', async () => {
  const { app, engine } = stage();
  assert.equal(engine.capabilities().tools, undefined);
  app.tools.set('a', tool({}, nothing));
  assert.deepEqual(engine.capabilities().tools, { listChanged: true });
  app.tools.delete('a');
  assert.deepEqual(engine.capabilities().tools, { listChanged: true });
  assert.deepEqual((await ask(engine, 'tools/list'))['tools'], []);
});

test('a `visibility` that throws or returns no string is a failure, and does not show everything', async () => {
  for (const visibility of [
    async () => 'admin',
    () => undefined,
    () => {
      throw new Error('SECRETPW');
    },
  ] as never[]) {
    const { engine } = stage({ visibility, tools: { a: tool({}, nothing) } });
    await assert.rejects(ask(engine, 'tools/list'));
    await assert.rejects(ask(engine, 'tools/call', { name: 'a' }));
  }
});

test('an unusable plain schema is reported to the operator once, before the first call', async () => {
  const broken = { type: 'object', properties: { a: { $ref: '#/nowhere' } } } as const;
  const app = server({ name: 'test', tools: { broken: tool({ input: broken }, nothing) } });
  const log: LogEntry[] = [];
  for (let time = 0; time < 3; time++) createEngine(app, { log: (entry) => void log.push(entry) });
  await until(() => log.length > 0);
  await turns();
  assert.deepEqual(
    log.map(({ event }) => event),
    ['schema-unusable'],
  );
  assert.match(log[0]!.message, /'broken'/);
});

test('revisions are validated, and ordered newest first', () => {
  assert.deepEqual(stage({}, { revisions: ['2024-11-05', '2025-11-25'] }).engine.revisions, [
    '2025-11-25',
    '2024-11-05',
  ]);
  assert.throws(() => stage({}, { revisions: [] }), TypeError);
  assert.throws(() => stage({}, { revisions: ['2020-01-01' as never] }), /2020-01-01/);
});

test('whether a resource exists depends on the caller', async () => {
  const { engine } = stage({
    visibility: (principal) => principal?.id ?? '',
    resources: {
      'x:a': resource({ name: 'a', visible: ['ann'] }, nothing),
      'x:b/{c}': resource({ name: 'b' }, nothing),
    },
  });
  const has = (uri: string, id?: string) =>
    engine.hasResource(uri, { principal: id === undefined ? undefined : { id } });
  assert.deepEqual(await Promise.all([has('x:a'), has('x:a', 'ann'), has('x:b/1'), has('x:c', 'ann'), has('no uri')]), [
    false,
    true,
    true,
    false,
    false,
  ]);
});

test('a logger that throws does not break a call', async () => {
  const { engine } = stage(
    {
      tools: {
        boom: tool({}, () => {
          throw new Error('SECRETPW');
        }),
      },
    },
    {
      log: () => {
        throw new Error('the log is full');
      },
    },
  );
  const { isError, content } = await ask(engine, 'tools/call', { name: 'boom' });
  assert.equal(isError, true);
  assert.doesNotMatch(JSON.stringify(content), /SECRETPW|full/);
});
