import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { turns, until } from '../../../../scripts/lib/until.ts';
import type { Channel } from '../protocol/channel.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogEntry } from '../protocol/log.ts';
import { server } from '../server/define.ts';
import { prompt } from '../server/prompt.ts';
import { resource } from '../server/resource.ts';
import { tool } from '../server/tool.ts';
import { memoryPair } from './memory.ts';
import { serve, type ServeOptions } from './serve.ts';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

const COLOR = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] } as const;
function nothing(): string {
  return '';
}
const claim = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A peer that sends raw messages. */
function peer(t: TestContext, app: Parameters<typeof serve>[0], options: ServeOptions = {}) {
  const [near, far] = memoryPair();
  const log: LogEntry[] = [];
  const served = serve(app, far, { ...options, log: (entry) => void log.push(entry) });
  const received: Message[] = [];
  const reading = (async () => {
    for await (const item of near.incoming) received.push(...([JSON.parse(item as string)].flat() as Message[]));
  })();
  t.after(async () => {
    await served.close();
    await reading;
  });
  const send = (message: object): void => void near.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const find = async (fits: (message: Message) => boolean): Promise<Message> => {
    await until(
      () => received.some(fits),
      () => `a message like that; there were ${JSON.stringify(received)}`,
    );
    return received.find(fits)!;
  };
  let lastId = 0;
  const ask = (method: string, params: object = {}, id: string | number = `a${++lastId}`): Promise<Message> => {
    send({ id, method, params });
    return find((message) => message.id === id && message.method === undefined);
  };
  return {
    near,
    served,
    log,
    received,
    send,
    find,
    ask,
    modern: (method: string, params: object = {}, id?: string) => ask(method, { ...params, _meta: claim }, id),
    heard: (method: string) => received.filter((message) => message.method === method).map(({ params }) => params),
    async greet(capabilities: object = {}) {
      const answer = await ask('initialize', {
        protocolVersion: '2025-11-25',
        capabilities,
        clientInfo: { name: 'peer', version: '1' },
      });
      send({ method: 'notifications/initialized' });
      return answer;
    },
  };
}

test('no changes are sent for a resource that was hidden after the subscription', async (t) => {
  const app = server({
    name: 'test',
    visibility: (principal) => principal?.id ?? '',
    resources: { 'x:a': resource({ name: 'a', visible: ['ann'] }, nothing), 'x:b': resource({ name: 'b' }, nothing) },
  });
  const it = peer(t, app, { principal: { id: 'ann' } });
  await it.greet();
  for (const uri of ['x:a', 'x:b']) await it.ask('resources/subscribe', { uri });
  it.send({
    id: 'listen',
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: ['x:a', 'x:b'] }, _meta: claim },
  });
  await it.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
  app.changed('x:a');
  await turns();
  assert.equal(it.heard('notifications/resources/updated').length, 2);
  app.resources.set('x:a', resource({ name: 'a', visible: ['bob'] }, nothing));
  app.changed('x:a');
  app.changed('x:b');
  app.changed('x:unknown');
  await turns();
  assert.deepEqual(
    it
      .heard('notifications/resources/updated')
      .slice(2)
      .map((params) => params!['uri']),
    ['x:b', 'x:b'],
  );
});

test('a hidden resource cannot be subscribed to, and its changes are not sent', async (t) => {
  const app = server({
    name: 'test',
    visibility: () => 'user',
    resources: { 'x:a': resource({ name: 'a', visible: ['admin'] }, nothing) },
  });
  const it = peer(t, app);
  await it.greet();
  assert.equal((await it.ask('resources/subscribe', { uri: 'x:a' })).error?.code, -32002);
  it.send({
    id: 'listen',
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: ['x:a'] }, _meta: claim },
  });
  const { params } = await it.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
  assert.deepEqual(params!['notifications'], {});
  app.changed('x:a');
  await turns();
  assert.deepEqual(it.heard('notifications/resources/updated'), []);
});

test('a provider that fails while a change is announced is reported, without further effects', async (t) => {
  let broken = false;
  const get = () => {
    if (broken) throw new Error('the table is gone');
    return resource({ name: 'a' }, nothing);
  };
  const app = server({ name: 'test', providers: [{ resources: { list: () => [], get } }] });
  const it = peer(t, app);
  await it.greet();
  await it.ask('resources/subscribe', { uri: 'x:a' });
  app.changed('x:a');
  await turns();
  broken = true;
  app.changed('x:a');
  await turns();
  assert.equal(it.heard('notifications/resources/updated').length, 1);
  assert.deepEqual(
    it.log.map(({ event }) => event),
    ['handler-failed'],
  );
  assert.deepEqual((await it.ask('ping')).result, {});
});

test('[LIFE-10] a session gets notifications for the lists that were announced to it, not for those added later', async (t) => {
  const app = server({ name: 'test', tools: {} });
  const it = peer(t, app);
  assert.deepEqual(Object.keys((await it.greet()).result!['capabilities'] as object), ['tools', 'logging']);
  app.tools.set('a', tool({}, nothing));
  app.prompts.set('a', prompt({}, nothing));
  await turns();
  assert.equal(it.heard('notifications/tools/list_changed').length, 1);
  assert.equal(it.heard('notifications/prompts/list_changed').length, 0);
});

test('the number of watched resources is limited over all subscriptions of a connection', async (t) => {
  const it = peer(t, server({ name: 'test', resources: { 'x:{a}': resource({ name: 'a' }, nothing) } }), {
    limits: { subscriptionUris: 3 },
  });
  const listen = (...uris: string[]) =>
    it.modern('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
  void listen('x:1', 'x:2').catch(() => {});
  assert.equal((await listen('x:3', 'x:4')).error?.code, -32602);
  assert.equal((await listen('x:1', 'x:2', 'x:3', 'x:4')).error?.code, -32602);
  void listen('x:3').catch(() => {});
  await turns();
  assert.equal(it.heard('notifications/subscriptions/acknowledged').length, 2);
});

test('a URI that is too long is not looked up, and not stored', async (t) => {
  const it = peer(t, server({ name: 'test', resources: { 'x:{+a}': resource({ name: 'a' }, nothing) } }));
  await it.greet();
  const uri = `x:${'a'.repeat(100_000)}`;
  for (const method of ['resources/read', 'resources/subscribe']) {
    const { error } = await it.ask(method, { uri });
    assert.equal(error?.code, -32002);
    assert.match(error!.message, /longer than/);
  }
});

test('a message that is too long is refused even if a channel does not split lines', async (t) => {
  const it = peer(t, server({ name: 'test', tools: {} }), { limits: { lineBytes: 1_000 } });
  it.send({ id: 1, method: 'ping', params: { text: 'x'.repeat(1_000) } });
  assert.equal((await it.find(({ error }) => error !== undefined)).error!.code, -32700);
  assert.deepEqual((await it.ask('ping')).result, {});
});

test('a question that is not awaited is cancelled when the call is answered, and none is sent after that', async (t) => {
  let later: Promise<unknown> | undefined;
  const app = server({
    name: 'test',
    tools: {
      race: tool({}, async (_, ctx) => {
        void ctx.ask('first', 'First?', COLOR);
        await turns();
        void turns().then(
          () =>
            (later = ctx.ask('second', 'Second?', COLOR).then(
              () => assert.fail('it was answered'),
              (error: Error) => error.message,
            )),
        );
        return 'done';
      }),
    },
  });
  const it = peer(t, app);
  await it.greet({ elicitation: {} });
  assert.equal((await it.ask('tools/call', { name: 'race' })).result!['isError'], undefined);
  await until(() => later !== undefined);
  const refused = String(await later);
  await turns();
  assert.equal(it.heard('elicitation/create').length, 1);
  assert.deepEqual(
    it.heard('notifications/cancelled').map((params) => params!['requestId']),
    [1],
  );
  assert.match(refused, /too late/);
});

test('an aborted signal rejects the operations it was passed to with an AbortError', async (t) => {
  let heard: unknown;
  const slow = tool({}, async (_, { signal }) => {
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    ).catch((error: unknown) => (heard = error));
    return '';
  });
  const it = peer(t, server({ name: 'test', tools: { slow } }));
  it.send({ id: 'slow', method: 'tools/call', params: { name: 'slow', _meta: claim } });
  await turns();
  it.send({ method: 'notifications/cancelled', params: { requestId: 'slow', reason: 'enough' } });
  await turns();
  assert.ok(heard instanceof Error && heard.name === 'AbortError' && heard.message === 'enough');
});

for (const [what, ends, level] of [
  ['has ended is not a warning', true, 'debug'],
  ['goes on sending is one', false, 'warn'],
] as const)
  test(`an answer that cannot be sent to a peer that ${what}`, async () => {
    let finish: ((text: string) => void) | undefined;
    const slow = tool({}, () => new Promise<string>((resolve) => (finish = resolve)));
    const log: LogEntry[] = [];
    let close!: () => void;
    const closed = new Promise<void>((resolve) => (close = resolve));
    let hasEnded = false;
    const served = serve(
      server({ name: 'test', tools: { slow } }),
      {
        send: () => Promise.reject(new Error('nobody reads')),
        incoming: (async function* () {
          const params = { name: 'slow', _meta: claim };
          yield JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
          if (!ends) await closed;
          hasEnded = true;
        })(),
        close,
      },
      { log: (entry) => void log.push(entry) },
    );
    await until(() => finish !== undefined && hasEnded === ends);
    await turns();
    finish!('done');
    await served.closed;
    assert.deepEqual(
      log.filter(({ event }) => event === 'channel-broken').map((entry) => entry.level),
      [level],
    );
  });

test('a handler that waits for an answer learns that the client is gone, and serving ends', async (t) => {
  let heard: unknown;
  const app = server({
    name: 'test',
    tools: {
      ask: tool({}, (_, ctx) =>
        ctx.ask('color', 'Which?', COLOR).then(
          ({ color }) => color,
          (error: unknown) => ((heard = error), 'gone'),
        ),
      ),
    },
  });
  const it = peer(t, app);
  await it.greet({ elicitation: {} });
  it.send({ id: 'ask', method: 'tools/call', params: { name: 'ask' } });
  await it.find(({ method }) => method === 'elicitation/create');
  await it.near.close();
  await it.served.closed;
  assert.equal((heard as Error).name, 'ConnectionError');
});

test('[STDIO-17] running calls may finish within the time limit after the client has closed', async () => {
  const ended: string[] = [];
  const app = server({
    name: 'test',
    tools: {
      quick: tool({}, async () => (await turns(), 'quick')),
      stubborn: tool(
        {},
        async (_, { signal }) => (
          await new Promise((resolve) => signal.addEventListener('abort', resolve)),
          ended.push('aborted'),
          ''
        ),
      ),
    },
  });
  const serving = async (name: string, drainMs: number) => {
    const sent: string[] = [];
    let closed = 0;
    const channel: Channel = {
      send: (text) => void sent.push(text),
      incoming: (async function* () {
        yield JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: claim } });
      })(),
      close: () => void closed++,
    };
    await serve(app, channel, { drainMs }).closed;
    return { answers: sent.length, closed };
  };
  assert.deepEqual(await serving('quick', 1_000_000), { answers: 1, closed: 1 });
  assert.deepEqual(await serving('stubborn', 20), { answers: 0, closed: 1 });
  await turns();
  assert.deepEqual(ended, ['aborted']);
});

test('closing while a subscription is being set up sends no acknowledgement', async (t) => {
  let go!: () => void;
  const looking = new Promise<void>((resolve) => (go = resolve));
  const app = server({
    name: 'test',
    providers: [{ resources: { list: () => [], get: async () => (await looking, resource({ name: 'a' }, nothing)) } }],
  });
  const it = peer(t, app);
  it.send({
    id: 'listen',
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: ['x:a'] }, _meta: claim },
  });
  await turns();
  const closing = it.served.close();
  go();
  await closing;
  await turns();
  assert.deepEqual(it.received, []);
});

test('closing waits no longer than a second for a peer that does not read', async (t) => {
  const time = stopTime(t);
  let closed = 0;
  const channel: Channel = {
    send: () => new Promise(() => {}),
    incoming: (async function* () {
      yield JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      await new Promise(() => {});
    })(),
    close: () => void closed++,
  };
  const served = serve(server({ name: 'test', tools: {} }), channel);
  await turns();
  const closing = served.close();
  await time.pass(1_000);
  await closing;
  assert.equal(closed, 1);
});

test('no more requests of a peer are served while it does not read', async () => {
  let ran = 0;
  let more: (() => void) | undefined;
  const app = server({ name: 'test', tools: { count: tool({}, () => String(++ran)) } });
  const call = (id: number): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'count', _meta: claim } });
  const channel: Channel = {
    send: () => new Promise<void>((resolve) => (more = resolve)),
    incoming: (async function* () {
      for (let id = 1; id <= 3; id++) yield call(id);
    })(),
    close: () => more?.(),
  };
  const { closed } = serve(app, channel, { drainMs: 1 });
  for (let n = 1; n <= 3; n++) {
    await turns();
    assert.equal(ran, n);
    more!();
  }
  await closed;
});

test('a channel that breaks is reported, and calls are aborted', async () => {
  const log: LogEntry[] = [];
  let aborted = false;
  const app = server({
    name: 'test',
    tools: {
      slow: tool(
        {},
        async (_, { signal }) => (
          await new Promise((resolve) => signal.addEventListener('abort', resolve)),
          (aborted = true),
          ''
        ),
      ),
    },
  });
  const channel: Channel = {
    send: () => {},
    incoming: (async function* () {
      yield JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', _meta: claim } });
      throw new Error('cable cut');
    })(),
    close: () => Promise.reject(new Error('nothing left to close')),
  };
  const { closed } = serve(app, channel, { log: (entry) => void log.push(entry) });
  await closed;
  await turns();
  assert.equal(aborted, true);
  assert.deepEqual(log.map(({ event }) => event).slice(0, 2), ['channel-broken', 'close-failed']);
});

test('a principal with a blank id is refused, before anything is served', () => {
  const app = server({ name: 'x' });
  for (const id of ['', ' ', 7, undefined] as readonly unknown[]) {
    const principal = { id: id as string };
    const [, far] = memoryPair();
    assert.throws(() => serve(app, far, { principal }), { name: 'TypeError', message: /`principal` needs an `id`/ });
  }
});
