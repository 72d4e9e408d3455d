// Visibility is decided in one place: lists, calls, reads, completions and subscriptions agree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { type Cell, legacy, type Message, modern } from './cells.ts';
import { makeVisibility, visibility } from './fixtures/visibility.ts';
import { everywhereRaw, type Raw } from './raw.ts';

const admin = { fixture: visibility, serve: { principal: { id: 'admin' } } };
const user = { fixture: visibility, serve: { principal: { id: 'ada' } } };
const anonymous = { fixture: visibility, serve: {} };

function notFound(cell: Cell): number {
  return legacy(cell) ? -32002 : -32602;
}

const LISTS = [
  ['tools/list', 'tools', 'name'],
  ['resources/list', 'resources', 'uri'],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ['prompts/list', 'prompts', 'name'],
] as const;

async function everything(raw: Raw): Promise<string[]> {
  const names: string[] = [];
  for (const [method, key, id] of LISTS)
    names.push(...(await raw.request(method)).result![key].map((entry: Record<string, string>) => entry[id]));
  return names;
}

const OPEN = ['open', 'touch', 'visible://open', 'open:///{id}', 'open'];
const KNOWN = ['open', 'known', 'touch', 'visible://open', 'visible://known', 'open:///{id}', 'open'];
const ALL = [
  'open',
  'known',
  'admin',
  'touch',
  'visible://open',
  'visible://known',
  'visible://admin',
  'admin:///SECRET',
  'open:///{id}',
  'admin:///{id}',
  'open',
  'admin',
];

for (const [who, setup, names] of [
  ['the admin', admin, ALL],
  ['an authenticated caller', user, KNOWN],
  ['anybody', anonymous, OPEN],
] as const) {
  everywhereRaw(
    `[TOOL-34, RES-18, CACHE-21] lists show ${who} what they may use`,
    async (raw) => assert.deepEqual(await everything(raw), names),
    setup,
  );
}

everywhereRaw(
  '[TOOL-34, RES-18] listed items can be used',
  async (raw) => {
    const text = ({ result }: Message): string => JSON.stringify(result);
    assert.match(text(await raw.request('tools/call', { name: 'admin' })), /SECRET/);
    assert.match(text(await raw.request('tools/call', { name: 'open' })), /open to admin/);
    assert.match(text(await raw.request('resources/read', { uri: 'visible://admin' })), /SECRET/);
    assert.match(text(await raw.request('resources/read', { uri: 'admin:///SECRET' })), /SECRET/);
    assert.match(text(await raw.request('prompts/get', { name: 'admin', arguments: { id: 'x' } })), /SECRET/);
    for (const ref of [
      { type: 'ref/prompt', name: 'admin' },
      { type: 'ref/resource', uri: 'admin:///{id}' },
    ]) {
      assert.match(
        text(await raw.request('completion/complete', { ref, argument: { name: 'id', value: '' } })),
        /SECRET-SUGGESTION/,
      );
    }
  },
  admin,
);

/** Requests for hidden items, each with the same request for an item that does not exist. */
const HIDDEN: [string, object, object][] = [
  ['tools/call', { name: 'admin' }, { name: 'nobody' }],
  ['resources/read', { uri: 'visible://admin' }, { uri: 'visible://nobody' }],
  ['resources/read', { uri: 'admin:///SECRET' }, { uri: 'nobody:///SECRET' }],
  ['prompts/get', { name: 'admin', arguments: { id: 'x' } }, { name: 'nobody', arguments: { id: 'x' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'admin' }, argument: { name: 'id', value: '' } },
    { ref: { type: 'ref/prompt', name: 'nobody' }, argument: { name: 'id', value: '' } },
  ],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'admin:///{id}' }, argument: { name: 'id', value: '' } },
    { ref: { type: 'ref/resource', uri: 'nobody:///{id}' }, argument: { name: 'id', value: '' } },
  ],
];

for (const [who, setup] of [
  ['an authenticated caller', user],
  ['anybody', anonymous],
] as const) {
  everywhereRaw(
    `[TOOL-34, RES-18, PROMPT-12, COMP-10, CACHE-21, CACHE-22] items that are hidden from ${who} are indistinguishable from missing ones`,
    async (raw) => {
      const said = (message: Message): string => JSON.stringify(message.error).replaceAll(/admin|nobody/g, '…');
      for (const [method, hidden, missing] of HIDDEN) {
        const [one, other] = [await raw.request(method, hidden), await raw.request(method, missing)];
        assert.equal(one.error?.code, method === 'resources/read' ? notFound(raw.cell) : -32602, method);
        assert.equal(said(one), said(other), method);
      }
      assert.doesNotMatch(
        JSON.stringify(raw.received.map(({ error, result }) => result ?? { ...error, data: undefined, message: '' })),
        /SECRET/,
      );
    },
    setup,
  );
}

everywhereRaw(
  '[RES-18] a caller who may not see a resource cannot watch it',
  async (raw) => {
    const uris = ['visible://open', 'visible://admin', 'admin:///SECRET'];
    if (legacy(raw.cell)) {
      for (const uri of uris) {
        const { error } = await raw.request('resources/subscribe', { uri });
        assert.equal(error?.code, uri === 'visible://open' ? undefined : -32002, uri);
      }
    } else {
      const id = raw.ask('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
      const { params } = await raw.nextOf('notifications/subscriptions/acknowledged');
      assert.deepEqual(params?.['notifications'], { resourceSubscriptions: ['visible://open'] });
      assert.equal(
        raw.received.some((message) => message.id === id),
        false,
      );
    }
    for (const uri of uris) await raw.request('tools/call', { name: 'touch', arguments: { uri } });
    await raw.settled();
    assert.deepEqual(
      raw.received
        .filter(({ method }) => method === 'notifications/resources/updated')
        .map(({ params }) => params?.['uri']),
      ['visible://open'],
    );
  },
  { ...user, alone: true },
);

everywhereRaw(
  '[CACHE-20] results that differ between callers are private, even if the author says otherwise',
  async (raw) => {
    for (const [method] of LISTS) {
      const { result } = await raw.request(method);
      assert.deepEqual([result?.['ttlMs'], result?.['cacheScope']], [1_000, 'private'], method);
    }
    assert.equal((await raw.request('resources/read', { uri: 'visible://admin' })).result?.['cacheScope'], 'private');
    assert.equal((await raw.request('resources/read', { uri: 'visible://open' })).result?.['cacheScope'], 'public');
  },
  { ...admin, only: modern },
);

test('two users of one server each see their own items, even simultaneously and repeatedly', async () => {
  const made = makeVisibility();
  await using one = await connect(made, { principal: { id: 'admin' } });
  await using other = await connect(made, { principal: { id: 'ada' } });
  for (let time = 0; time < 3; time++) {
    const lists = await Promise.all(
      [one, other, one, other].map(async (client) => (await client.tools({ fresh: time > 0 }).all()).length),
    );
    assert.deepEqual(lists, [4, 3, 4, 3]);
  }
  assert.equal(await one.call('admin'), 'SECRET');
  await assert.rejects(other.call('admin'), { code: -32602 });
});
