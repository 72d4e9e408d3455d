// Everything is limited: what exceeds a limit is refused with a clear error, nothing hangs, and the next request works.
import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { withinCpuMsAsync } from '../../../../scripts/lib/cpu-time.ts';
import { connect, PeerError } from '../../src/entries/client.ts';
import { resource, server, serve, tool, type JsonSchema, type Limits, type LogEntry } from '../../src/entries/index.ts';
import { agreesOn, connectScripted, memoryPair, scriptedPeer } from '../../src/entries/testing.ts';
import { makeApp, type Seen } from './app.ts';
import { claimed, dialog, MODERN, until } from './dialog.ts';

/** A hostile value could take hours, or the whole stack: it has to be done within a moment. */
function withinAMoment<T>(what: string, run: () => Promise<T>): Promise<T> {
  return withinCpuMsAsync(5_000, run, what);
}

function callText(value: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"v":${value}},${JSON.stringify(claimed()).slice(1)}}`;
}
function nested(depth: number, open: string, inner: string, close: string): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}

test('[A-39] a message nested deeper than 128 levels is refused at once, one at the limit is not', async (t) => {
  const it = dialog(t, makeApp(), { unchecked: true });
  // The message, its params, the arguments and three more levels are above the value.
  for (const depth of [125, 100]) {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      it.send(callText(nested(depth, open, '0', close)));
      assert.ok((await it.next()).result, `${depth} levels of ${open}`);
    }
  }
  for (const depth of [126, 1_000, 20_000, 500_000]) {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"a":', '}]'],
    ] as const) {
      const refusal = await withinAMoment(
        `${depth} levels`,
        () => (it.send(callText(nested(depth, open, '0', close))), it.next()),
      );
      assert.deepEqual([refusal.error?.code, refusal.id], [-32600, undefined]);
      assert.doesNotMatch(refusal.error!.message, /stack/i);
    }
  }
  it.send('['.repeat(1_000_000));
  assert.equal((await it.next()).error?.code, -32600, 'even if it is never closed');
  assert.ok((await it.request('server/discover', claimed())).result);
});

test('a message of more than 200,000 values is refused, one below is not', async (t) => {
  const it = dialog(t, makeApp(), { unchecked: true });
  it.send(callText(`[${'0,'.repeat(199_000)}0]`));
  assert.ok((await it.next()).result);
  for (const value of [
    `[${'0,'.repeat(200_000)}0]`,
    `[${'[],'.repeat(300_000)}[]]`,
    `{${Array.from({ length: 200_001 }, (_, at) => `"${at}":0`).join()}}`,
  ]) {
    const refusal = await withinAMoment('a wide message', () => (it.send(callText(value)), it.next()));
    assert.deepEqual([refusal.error?.code, refusal.id], [-32600, undefined]);
  }
  assert.ok((await it.request('server/discover', claimed())).result);
});

test('the 1,001st simultaneous request is refused, and there is room again when one has ended', async (t) => {
  const seen: Seen = { ran: [], aborted: [] };
  const it = dialog(t, makeApp(seen), { unchecked: true });
  for (let id = 0; id < 1_000; id++)
    it.send({ jsonrpc: '2.0', id, method: 'tools/call', params: claimed({ name: 'slow' }) });
  const { error } = await it.request('tools/call', claimed({ name: 'add', arguments: { a: 1, b: 2 } }), 'one more');
  assert.equal(error?.code, -32603);
  assert.match(error.message, /limit is 1000/);
  await until(() => seen.ran.length === 1_000);
  it.notify('notifications/cancelled', { requestId: 500 });
  await until(() => seen.aborted.length === 1);
  assert.ok((await it.request('tools/call', claimed({ name: 'add', arguments: { a: 1, b: 2 } }))).result);
  for (let id = 0; id < 1_000; id++) it.notify('notifications/cancelled', { requestId: id });
  await until(() => seen.aborted.length === 1_000);
});

test('the 101st subscription is refused, even if all are requested at once', async (t) => {
  let waiting: (() => void)[] = [];
  const slow = resource(
    { name: 'slow', list: async () => (await new Promise<void>((resolve) => waiting.push(resolve)), []) },
    () => 'x',
  );
  const app = server({ name: 'slow', resources: { 'slow:///{id}': slow } });
  const it = dialog(t, app, { unchecked: true });
  const listen = (id: string) =>
    it.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: claimed({ notifications: { resourceSubscriptions: ['slow:///1'] } }),
    });
  for (let at = 0; at < 150; at++) listen(`s${at}`);
  for (const go of waiting) go();
  await until(() => it.received.length === 150);
  waiting = [];
  const came = it.untaken();
  assert.equal(came.filter(({ method }) => method === 'notifications/subscriptions/acknowledged').length, 100);
  const refused = came.filter(({ error }) => error !== undefined);
  assert.equal(refused.length, 50);
  assert.equal(refused[0]!.error!.code, -32603);
  it.notify('notifications/cancelled', { requestId: 's0' });
  listen('again');
  assert.equal((await it.next()).method, 'notifications/subscriptions/acknowledged');
});

test("a filter of more than 1,000 URIs is refused, and so is a session's subscription to one resource too many", async (t) => {
  const it = dialog(t, makeApp());
  const uris = Array.from({ length: 1_001 }, (_, at) => `item:///${at}`);
  const listen = (resourceSubscriptions: unknown) =>
    it.request('subscriptions/listen', claimed({ notifications: { resourceSubscriptions } }));
  assert.equal((await listen(uris)).error?.code, -32602);
  for (const wrong of ['item:///1', [1], {}, null])
    if (wrong !== null) assert.equal((await listen(wrong)).error?.code, -32602);
  const few = dialog(t, makeApp(), { limits: { subscriptionUris: 2 } });
  await few.handshake('2025-11-25');
  for (const id of [1, 2, 2]) assert.ok((await few.request('resources/subscribe', { uri: `item:///${id}` })).result);
  assert.equal((await few.request('resources/subscribe', { uri: 'item:///3' })).error?.code, -32602);
  assert.ok((await few.request('resources/unsubscribe', { uri: 'item:///1' })).result);
  assert.ok((await few.request('resources/subscribe', { uri: 'item:///3' })).result);
});

test('the subscriptions of one channel may watch a limited number of resources together, each counted once', async (t) => {
  const it = dialog(t, makeApp(), { limits: { subscriptionUris: 3 } });
  const listen = (id: string, ...items: number[]) => {
    const resourceSubscriptions = items.map((item) => `item:///${item}`);
    it.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: claimed({ notifications: { resourceSubscriptions } }),
    });
    return it.next((message) => message.id === id || message.method === 'notifications/subscriptions/acknowledged');
  };
  assert.equal((await listen('a', 1, 2)).method, 'notifications/subscriptions/acknowledged');
  // A client opens the new subscription before it ends the old one.
  assert.equal((await listen('b', 1, 2, 3)).method, 'notifications/subscriptions/acknowledged');
  assert.equal((await listen('c', 4)).error?.code, -32602);
  for (const requestId of ['a', 'b']) it.notify('notifications/cancelled', { requestId });
  assert.equal((await listen('d', 4, 5, 6)).method, 'notifications/subscriptions/acknowledged');
});

test('a requestState beyond 64 KiB is neither accepted nor created', async (t) => {
  const app = server({
    name: 'big',
    tools: {
      big: tool({ input: { type: 'object' } }, async ({ size }, ctx) => {
        await ctx.once('made', () => 'x'.repeat(Number(size)));
        return JSON.stringify(await ctx.ask('ok', 'OK?', { type: 'object', properties: { ok: { type: 'boolean' } } }));
      }),
    },
  });
  const it = dialog(t, app);
  const call = (size: number, more: object = {}) =>
    it.request('tools/call', claimed({ name: 'big', arguments: { size }, ...more }, {}, { elicitation: {} }));
  assert.equal((await call(40_000)).result?.['resultType'], 'input_required');
  const tooBig = await call(70_000);
  assert.equal(tooBig.result?.['isError'], true);
  assert.match(tooBig.result['content'][0].text, /too large to carry/);
  for (const requestState of ['A'.repeat(70_000), 'A'.repeat(1_000_000), '', 'x', '{}', 7, null]) {
    const { error } = await withinAMoment('a bad state', () => call(1, { requestState }));
    assert.deepEqual(
      [error?.code, error?.message],
      [-32602, 'requestState is not valid for this request, or has expired. Start again without it.'],
    );
  }
});

test('a peer that repeats the same error endlessly does not fill the log', async (t) => {
  const it = dialog(t, makeApp(), { unchecked: true });
  await it.handshake('2025-11-25');
  for (let at = 0; at < 500; at++) {
    it.send({ jsonrpc: '2.0', id: at, result: {} });
    it.send({ jsonrpc: '2.0', method: 'notifications/x', params: [] });
  }
  assert.deepEqual((await it.request('ping')).result, {});
  for (const event of ['stray-response', 'invalid-message']) {
    const told = it.log.filter((entry) => entry.event === event);
    assert.equal(told.length, 20, event);
    assert.match(told.at(-1)!.message, /further ones are not reported/);
  }
});

test('limits are positive finite numbers with known names, or an error at once', async () => {
  const bad: Record<string, unknown>[] = [
    { depth: 0 },
    { depth: -1 },
    { depth: Infinity },
    { depth: Number.NaN },
    { depth: '128' },
    { dept: 1 },
  ];
  for (const limits of bad) {
    assert.throws(
      () => serve(makeApp(), memoryPair()[1], { limits: limits as Partial<Limits> }),
      TypeError,
      JSON.stringify(limits),
    );
    await assert.rejects(connect(makeApp(), { limits: limits as Partial<Limits> }), TypeError, JSON.stringify(limits));
  }
});

for (const [what, cursorAfter, error] of [
  ['the same cursor for ever', () => 'again', /loop/],
  ['two cursors in turn', (at: number) => `c${at % 2}`, /loop/],
  ['a new cursor for ever', (at: number) => `c${at}`, /more than 1000 pages/],
] as const) {
  test(`[A-45] a list that returns ${what} ends with an error and a limited number of requests`, async () => {
    let pages = 0;
    const { client, peer } = await connectScripted({
      ...agreesOn(MODERN, { capabilities: { tools: {} } }),
      'tools/list': () => ({
        tools: [{ name: `t${pages++}`, inputSchema: { type: 'object' } }],
        nextCursor: cursorAfter(pages),
        ttlMs: 0,
        cacheScope: 'private',
        resultType: 'complete',
      }),
    });
    await assert.rejects(
      client.tools().all(),
      (found: unknown) => found instanceof PeerError && error.test(found.message),
    );
    assert.ok(peer.calls('tools/list').length <= 1_001);
    await client.ping();
    await client.close();
  });
}

/** Counts requests to it. There must be none. */
async function countRequests(t: TestContext): Promise<{ url: string; hits: () => number }> {
  let hits = 0;
  const http = createServer((_, response) => {
    hits++;
    response.end('{"type":"object"}');
  });
  http.on('connection', () => hits++);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, hits: () => hits };
}

const bomb = `${'a'.repeat(40)}!`;
function nestedSchema(levels: number): JsonSchema {
  const $defs: Record<string, JsonSchema> = { d0: { type: 'string' } };
  for (let at = 1; at <= levels; at++)
    $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] };
  return { $ref: `#/$defs/d${levels}`, $defs };
}
function deepSchema(levels: number): JsonSchema {
  let schema: JsonSchema = { type: 'string' };
  for (let at = 0; at < levels; at++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

/** Schemas for one member `v`, with a value that makes them expensive. The expected result: valid, invalid, or the schema is refused. */
const HOSTILE: readonly (readonly [
  what: string,
  schema: JsonSchema,
  value: unknown,
  verdict: 'wrong' | 'right' | 'refused',
])[] = [
  ['[A-41] a regular expression that backtracks', { type: 'string', pattern: '^(a+)+$' }, bomb, 'wrong'],
  ['[A-41] one with a quantified alternative', { type: 'string', pattern: '^(a|a)*$' }, bomb, 'wrong'],
  [
    '[A-41] one in the names of members',
    { type: 'object', patternProperties: { '^(a+)+$': false } },
    { [bomb]: 1 },
    'right',
  ],
  ['[A-42] a reference to itself', { $ref: '#/properties/v' }, 1, 'refused'],
  [
    '[A-42] references in a circle',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    1,
    'refused',
  ],
  [
    '[A-42] a schema that contains itself, on data that ends',
    { $ref: '#/$defs/list', $defs: { list: { type: 'object', properties: { next: { $ref: '#/$defs/list' } } } } },
    { next: { next: { next: {} } } },
    'right',
  ],
  ['[A-43] a reference to a file', { $ref: 'file:///etc/passwd' }, 1, 'refused'],
  ['[A-44] a tower of allOf', nestedSchema(40), 'x', 'refused'],
  ['[A-44] a schema nested 100 deep', deepSchema(100), {}, 'refused'],
  [
    '[A-44] unique items in a long list',
    { type: 'array', uniqueItems: true },
    Array.from({ length: 20_000 }, (_, at) => ({ at, same: [1, { a: 'b' }] })),
    'right',
  ],
  [
    '[A-44] unique items in a long list with one twice',
    { type: 'array', uniqueItems: true },
    [...Array.from({ length: 20_000 }, (_, at) => `x${at}`), 'x0'],
    'wrong',
  ],
];
/** A schema whose member `v` is this one; its definitions move to the root. */
function whole({ $defs = {}, ...schema }: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { v: schema },
    required: ['v'],
    $defs,
  };
}

for (const [what, schema, value, verdict] of HOSTILE) {
  test(`${what} in the input of a tool`, async (t) => {
    const app = server({
      name: 'hostile',
      tools: { hostile: tool({ input: whole(schema) }, () => 'ran'), healthy: tool({}, () => 'fine') },
    });
    const it = dialog(t, app, { unchecked: true });
    const { result } = await withinAMoment(what, () =>
      it.request('tools/call', claimed({ name: 'hostile', arguments: { v: value } })),
    );
    const text = result?.['content'][0].text as string;
    if (verdict === 'right') assert.equal(text, 'ran');
    if (verdict === 'wrong') assert.match(text, /^Invalid arguments: v/);
    if (verdict === 'refused') assert.ok(result?.['isError'] === true && text !== 'ran', text);
    assert.equal((await it.request('tools/call', claimed({ name: 'healthy' }))).result?.['content'][0].text, 'fine');
  });

  test(`${what} in the output a client receives`, async () => {
    const log: LogEntry[] = [];
    const { client } = await connectScripted(
      {
        ...agreesOn(MODERN, { capabilities: { tools: {} } }),
        'tools/list': {
          tools: [
            { name: 'hostile', inputSchema: { type: 'object' }, outputSchema: whole(schema) },
            { name: 'healthy', inputSchema: { type: 'object' } },
          ],
          ttlMs: 0,
          cacheScope: 'private',
          resultType: 'complete',
        },
        'tools/call': ({ params }) =>
          params?.['name'] === 'hostile'
            ? { content: [], structuredContent: { v: value } }
            : { content: [{ type: 'text', text: 'fine' }] },
      },
      { log: (entry) => void log.push(entry) },
    );
    const called = withinAMoment(what, () =>
      client.call('hostile').then(
        (found) => ({ found }),
        (error: unknown) => ({ error }),
      ),
    );
    const outcome = await called;
    if (verdict === 'right') assert.deepEqual(outcome, { found: { v: value } });
    if (verdict === 'wrong') assert.ok('error' in outcome && outcome.error instanceof PeerError);
    // A schema that cannot be used is reported to the operator.
    if (verdict === 'refused')
      assert.ok(
        'error' in outcome || log.some(({ event }) => event === 'bad-schema' || event === 'bad-entry'),
        JSON.stringify(outcome),
      );
    assert.equal(await client.call('healthy'), 'fine');
    await client.close();
  });
}

test('[BASE-64] [BASE-65] [A-43] nothing is fetched for a schema, on either side', async (t) => {
  const { url, hits } = await countRequests(t);
  const fetched = t.mock.method(globalThis, 'fetch');
  for (const schema of [
    { $ref: `${url}/a.json` },
    { $ref: `${url}/a.json#/x` },
    { $id: `${url}/b`, $ref: 'c' },
    { $schema: `${url}/dialect` },
    { $dynamicRef: `${url}/d#meta` },
  ]) {
    const app = server({
      name: 'refers',
      tools: {
        refers: tool({ input: whole(schema), output: whole(schema) }, () => ({ v: 1 })),
        healthy: tool({}, () => 'fine'),
      },
    });
    await using client = await connect(app);
    await client.tools().all();
    await client.result('refers', { v: 1 }).catch(() => {});
    assert.equal(await client.call('healthy'), 'fine');
  }
  // A connection that was begun before this one arrives before it.
  await new Promise((resolve) => get(url, { agent: false }, (answer) => answer.resume().on('end', resolve)));
  assert.deepEqual([hits(), fetched.mock.callCount()], [2, 0], 'one connection and one request: of this test');
});

test('[A-44] tools with unusable schemas do not hide the others', async () => {
  const wide = JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { type: 'string' }])),
  });
  const deep = nested(3_000, '{"type":"object","properties":{"a":', '{}', '}}');
  const tools = [
    `{"name":"deep","inputSchema":${deep},"outputSchema":${deep}}`,
    `{"name":"wide","inputSchema":{"type":"object"},"outputSchema":${wide}}`,
    '{"name":"none","inputSchema":null}',
    '{"name":"healthy","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"ok":{"type":"boolean"}}}}',
  ];
  const { client } = await connectScripted({
    ...agreesOn(MODERN, { capabilities: { tools: {} } }),
    'tools/list': ({ id }, peer) =>
      void peer.send(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[${tools.join()}],"ttlMs":0,"cacheScope":"private","resultType":"complete"}}`,
      ),
    'tools/call': { content: [], structuredContent: { ok: true } },
  });
  const names = await withinAMoment('listing', async () => (await client.tools().all()).map(({ name }) => name));
  assert.deepEqual(names, ['wide', 'healthy']);
  assert.deepEqual(await client.call('healthy'), { ok: true });
  for (const name of ['deep', 'wide']) await withinAMoment(name, () => client.call(name).catch(() => {}));
  assert.deepEqual(await client.call('healthy'), { ok: true });
  await client.close();
});

test('[A-41] an answer to a form is validated in a moment, by the client that sends it and the server that asked', async (t) => {
  const property = { type: 'string', pattern: '^(a+)+$', format: 'email' };
  // A server sends an expression in its form to our client.
  const [near, far] = memoryPair();
  const peer = scriptedPeer(far, { ...agreesOn('2025-11-25'), ping: {} });
  const client = await connect(near, { elicit: () => ({ action: 'accept', content: { v: `${bomb}@example.com` } }) });
  const asked = await withinAMoment('the answer of the client', () =>
    peer.request('elicitation/create', {
      mode: 'form',
      message: 'v?',
      requestedSchema: { type: 'object', properties: { v: property }, required: ['v'] },
    }),
  );
  assert.ok(asked['result'] ?? asked['error']);
  await client.close();
  // Our server asks with such a form.
  const app = server({
    name: 'asks',
    tools: {
      ask: tool({}, async (_, ctx) =>
        JSON.stringify(
          await ctx.elicit('v', 'v?', { type: 'object', properties: { v: { type: 'string', pattern: '^(a+)+$' } } }),
        ),
      ),
    },
  });
  const it = dialog(t, app, { unchecked: true });
  await it.handshake('2025-11-25', { elicitation: {} });
  it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'ask' } });
  for (let attempt = 0; attempt < 3; attempt++) {
    const question = await it.next(({ method }) => method === 'elicitation/create');
    await withinAMoment('the judgement of the server', async () => {
      it.send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { v: bomb } } });
      await it.request('ping');
    });
  }
  assert.equal((await it.next(({ id }) => id === 'call')).result?.['isError'], true);
});
