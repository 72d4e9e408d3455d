// Changes of lists and resources: sent to sessions in the legacy eras, and to subscriptions in the modern one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resource, serve, server } from '../../src/entries/index.ts';
import { connect } from '../../src/entries/client.ts';
import { memoryPair, scriptedPeer } from '../../src/entries/testing.ts';
import { app } from './app.ts';
import { everywhere, legacy, type Message, modern } from './cells.ts';
import { everywhereRaw, type Raw } from './raw.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const ALL = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['suite://setting', 'suite://json'],
};

function notificationsOf(raw: Raw): Message[] {
  return raw.received.filter(({ method }) => method !== undefined);
}
/** A short form of the notifications. */
function shortForms(messages: readonly Message[]): string[] {
  return messages
    .map(({ method, params }) => [method!.replace('notifications/', ''), params?.['uri']].filter(Boolean).join(' '))
    .sort();
}

async function call(raw: Raw, name: string, args: object): Promise<void> {
  const { result } = await raw.request('tools/call', { name, arguments: args });
  assert.notEqual(result?.['isError'] ?? result === undefined, true);
}

async function listen(raw: Raw, id: string | number, notifications: object): Promise<Message> {
  raw.ask('subscriptions/listen', { notifications }, { id });
  return raw.next(
    ({ method, params }) =>
      method === 'notifications/subscriptions/acknowledged' && params?.['_meta'][SUBSCRIPTION] === id,
  );
}

const EVERYTHING = [
  'prompts/list_changed',
  'resources/list_changed',
  'resources/updated suite://json',
  'resources/updated suite://setting',
  'tools/list_changed',
];
let unique = 0;
function fresh(): { name: string } {
  return { name: `fresh-${unique++}` };
}

everywhereRaw(
  '[TOOL-5, RES-4, PROMPT-4, RES-5] a session is notified of changed lists, and of the resources it subscribed to',
  async (raw) => {
    const lists = EVERYTHING.filter((notice) => notice.endsWith('list_changed'));
    await call(raw, 'grow', fresh());
    await call(raw, 'turn', { to: 'light' });
    await raw.settled();
    assert.deepEqual(shortForms(notificationsOf(raw)), lists, 'there is no subscription');
    assert.deepEqual((await raw.request('resources/subscribe', { uri: 'suite://setting' })).result, {});
    await call(raw, 'turn', { to: 'dark' });
    await call(raw, 'grow', fresh());
    await raw.settled();
    assert.deepEqual(
      shortForms(notificationsOf(raw)),
      [...lists, ...lists, 'resources/updated suite://setting'].sort(),
    );
    assert.deepEqual((await raw.request('resources/unsubscribe', { uri: 'suite://setting' })).result, {});
    await call(raw, 'turn', { to: 'light' });
    await raw.settled();
    assert.equal(notificationsOf(raw).length, 7);
  },
  { only: legacy },
);

everywhereRaw(
  'a change that is made many times in one turn is sent once',
  async (raw) => {
    if (legacy(raw.cell))
      for (const uri of ALL.resourceSubscriptions) await raw.request('resources/subscribe', { uri });
    else await listen(raw, 'all', ALL);
    await call(raw, 'burst', fresh());
    await raw.settled();
    assert.deepEqual(
      shortForms(notificationsOf(raw).filter(({ method }) => !method!.includes('acknowledged'))),
      EVERYTHING,
    );
  },
  { alone: true },
);

everywhereRaw(
  'a resource of a template can be subscribed to, a missing one cannot',
  async (raw) => {
    assert.deepEqual((await raw.request('resources/subscribe', { uri: 'item:///a/1' })).result, {});
    for (const uri of ['suite://unknown', 'file:///../x', 'nothing'])
      assert.equal((await raw.request('resources/subscribe', { uri })).error?.code, -32002, uri);
    for (const uri of [undefined, 5, null])
      assert.equal((await raw.request('resources/subscribe', { uri })).error?.code, -32602);
    assert.equal((await raw.request('resources/unsubscribe', {})).error?.code, -32602);
    assert.deepEqual((await raw.request('resources/unsubscribe', { uri: 'suite://never-subscribed' })).result, {});
  },
  { only: legacy, hostile: true },
);

everywhereRaw(
  '[TOOL-5, RES-4, PROMPT-4, RES-6, SUBS-1] a subscription gets the changes it asked for, and no one else does',
  async (raw) => {
    await call(raw, 'burst', fresh());
    await raw.settled();
    assert.deepEqual(notificationsOf(raw), [], 'nothing was asked for');
    const wanted: [object, string[]][] = [
      [{ toolsListChanged: true }, ['tools/list_changed']],
      [{ promptsListChanged: true, toolsListChanged: false }, ['prompts/list_changed']],
      [{ resourcesListChanged: true }, ['resources/list_changed']],
      [{ resourceSubscriptions: ['suite://json'] }, ['resources/updated suite://json']],
      [
        { resourceSubscriptions: ['suite://setting', 'suite://json'], toolsListChanged: true },
        ['resources/updated suite://json', 'resources/updated suite://setting', 'tools/list_changed'],
      ],
      [{}, []],
    ];
    for (const [filter, expected] of wanted) {
      const id = `only-${unique++}`;
      await listen(raw, id, filter);
      const before = notificationsOf(raw).length;
      await call(raw, 'burst', fresh());
      await raw.settled();
      assert.deepEqual(shortForms(notificationsOf(raw).slice(before)), expected, JSON.stringify(filter));
      raw.notify('notifications/cancelled', { requestId: id });
      await call(raw, 'burst', fresh());
      await raw.settled();
      assert.equal(notificationsOf(raw).length, before + expected.length, 'and nothing after it was cancelled');
      assert.equal(
        raw.received.some((message) => message.id === id),
        false,
        'not even an answer',
      );
    }
  },
  { only: modern },
);

everywhereRaw(
  '[SUBS-2, SUBS-3, SUBS-4] the acknowledgement comes first and says what will be sent',
  async (raw) => {
    const id = raw.ask('subscriptions/listen', {
      notifications: {
        ...ALL,
        resourceSubscriptions: ['suite://json', 'suite://unknown', 'item:///a/1', 'file:///../x'],
        later: true,
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await call(raw, 'burst', fresh());
    await raw.nextOf('notifications/subscriptions/acknowledged');
    await call(raw, 'burst', fresh());
    await raw.settled();
    const [first, ...rest] = notificationsOf(raw);
    assert.equal(first?.method, 'notifications/subscriptions/acknowledged');
    assert.deepEqual(first.params, {
      _meta: { [SUBSCRIPTION]: id },
      notifications: {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['suite://json', 'item:///a/1'],
      },
    });
    assert.ok(rest.length > 0);
    assert.equal(
      rest.some(({ method }) => method!.includes('acknowledged')),
      false,
    );
    raw.notify('notifications/cancelled', { requestId: id });
  },
  { only: modern, hostile: true },
);

everywhereRaw(
  '[SUBS-6, BASE-50] every notification carries the unchanged id of its subscription: one copy for each',
  async (raw) => {
    const ids = ['a', 7, '7'];
    for (const id of ids) await listen(raw, id, { toolsListChanged: true, resourceSubscriptions: ['suite://setting'] });
    const before = notificationsOf(raw).length;
    await call(raw, 'burst', fresh());
    await raw.settled();
    const tags = notificationsOf(raw)
      .slice(before)
      .map(({ method, params }) => [method, params?.['_meta'][SUBSCRIPTION]]);
    for (const method of ['notifications/tools/list_changed', 'notifications/resources/updated']) {
      assert.deepEqual(
        tags.filter(([name]) => name === method).map(([, tag]) => tag),
        ids,
      );
    }
    assert.equal(tags.length, 6);
    for (const requestId of ids) raw.notify('notifications/cancelled', { requestId });
  },
  { only: modern },
);

everywhereRaw(
  'an invalid filter is an invalid-params error, an id in use an invalid request',
  async (raw) => {
    for (const params of [
      {},
      { notifications: null },
      { notifications: [] },
      { notifications: { resourceSubscriptions: 'suite://setting' } },
      { notifications: { resourceSubscriptions: [5] } },
    ]) {
      assert.equal((await raw.request('subscriptions/listen', params)).error?.code, -32602, JSON.stringify(params));
    }
    await listen(raw, 'taken', ALL);
    assert.equal(
      (await raw.request('subscriptions/listen', { notifications: ALL }, { id: 'taken' })).error?.code,
      -32600,
    );
    raw.notify('notifications/cancelled', { requestId: 'taken' });
  },
  { only: modern, hostile: true },
);

const few = { limits: { subscriptions: 2, subscriptionUris: 2 } };

everywhereRaw(
  'the number of subscriptions is limited, and ending one makes room',
  async (raw) => {
    const uris = ['item:///a/1', 'item:///a/2', 'item:///a/3'];
    if (legacy(raw.cell)) {
      for (const uri of uris.slice(0, 2))
        assert.deepEqual((await raw.request('resources/subscribe', { uri })).result, {});
      assert.equal((await raw.request('resources/subscribe', { uri: uris[2] })).error?.code, -32602);
      await raw.request('resources/unsubscribe', { uri: uris[0] });
      assert.deepEqual((await raw.request('resources/subscribe', { uri: uris[2] })).result, {});
      return;
    }
    assert.equal(
      (await raw.request('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })).error?.code,
      -32602,
    );
    for (const [at, id] of ['one', 'two'].entries()) await listen(raw, id, { resourceSubscriptions: [uris[at]!] });
    assert.ok((await raw.request('subscriptions/listen', { notifications: {} })).error);
    raw.notify('notifications/cancelled', { requestId: 'one' });
    await listen(raw, 'three', {});
  },
  { serve: few },
);

everywhereRaw(
  '[SUBS-9, CANC-15, CANC-16] a server that ends sends each subscription its result, and cancels nothing else',
  async (raw) => {
    for (const id of ['one', 2]) await listen(raw, id, ALL);
    raw.ask('tools/call', { name: 'slow' }, { id: 'slow' });
    raw.ask('tools/call', { name: 'ask' }, { id: 'ask', capabilities: { elicitation: { form: {} } } });
    await raw.answerTo('ask');
    raw.end();
    for (const id of ['one', 2]) {
      const { result } = await raw.answerTo(id);
      assert.equal(result?.['resultType'], 'complete');
      assert.equal(result?.['_meta'][SUBSCRIPTION], id);
    }
    await raw.over;
    assert.equal(
      raw.received.some(({ method }) => method === 'notifications/cancelled'),
      false,
    );
  },
  { only: modern, alone: true },
);

everywhere(
  'watchers are notified of changes, in every revision, and of nothing after they close',
  async ({ client, wire }) => {
    const tools = client.watch({ list: 'tools' });
    const setting = client.watch({ uri: 'suite://setting' });
    await Promise.all([tools.ready, setting.ready]);
    const changes = { tools: tools[Symbol.asyncIterator](), setting: setting[Symbol.asyncIterator]() };
    await client.call('grow', fresh());
    assert.deepEqual(await changes.tools.next(), { done: false, value: { list: 'tools', missed: false } });
    await client.call('turn', { to: 'light' });
    assert.deepEqual(await changes.setting.next(), { done: false, value: { uri: 'suite://setting', missed: false } });
    tools.close();
    setting.close();
    assert.deepEqual(await changes.setting.next(), { done: true, value: undefined });
    await client.ping();
    const before = wire.length;
    await client.call('turn', { to: 'dark' });
    await client.ping();
    assert.equal(
      wire.slice(before).some(({ message }) => message.method === 'notifications/resources/updated'),
      false,
    );
  },
);

test('changes reach all connections, and an ended connection is forgotten', async () => {
  const made = app();
  const heard: string[] = [];
  const open = async (who: string, revision: '2026-07-28' | '2025-11-25') => {
    const client = await connect(made, { revision });
    const watch = client.watch({ list: 'tools' });
    await watch.ready;
    void (async () => {
      for await (const _ of watch) heard.push(who);
    })();
    return client;
  };
  const clients = await Promise.all([open('old', '2025-11-25'), open('new', '2026-07-28'), open('gone', '2026-07-28')]);
  await clients[2].close();
  await clients[0].call('grow', fresh());
  await Promise.all(clients.slice(0, 2).map((client) => client.ping()));
  assert.deepEqual(heard.sort(), ['new', 'old']);
  for (const client of clients) await client.close();
});

test('a session gets no notifications before it is initialized', async () => {
  const made = app();
  const [near, far] = memoryPair();
  const served = serve(made, far);
  const peer = scriptedPeer(near, {});
  await peer.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  made.tools.delete('add');
  await peer.request('ping');
  assert.equal(peer.received.length, 2);
  await peer.notify('notifications/initialized');
  made.tools.delete('echo');
  await peer.next('notifications/tools/list_changed');
  await served.close();
});

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`a server announces changes of a list that it does not keep itself, ${revision}`, async () => {
    const shelf = ['one'];
    const own = server({
      name: 'shelf',
      resources: {
        'book:///{id}': resource(
          { name: 'book', list: () => shelf.map((id) => ({ uri: `book:///${id}`, name: id })) },
          ({ id }) => id,
        ),
      },
    });
    await using client = await connect(own, { revision });
    const watch = client.watch({ list: 'resources' });
    await watch.ready;
    shelf.push('two');
    own.changed({ list: 'resources' });
    assert.deepEqual((await watch[Symbol.asyncIterator]().next()).value, { list: 'resources', missed: false });
    assert.deepEqual(
      (await client.resources().all()).map(({ name }) => name),
      ['one', 'two'],
    );
  });
