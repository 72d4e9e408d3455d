import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { DefinitionError, prompt, reply, resource, revisions, server, text, tool } from '../../src/entries/index.ts';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { metaKeyProblem } from '../../src/protocol/meta.ts';
import { makeApp } from './app.ts';
import { claimed, dialog, KEY, type Message, MODERN, startConversation, until } from './dialog.ts';

/** Keys, and the problem with them: none, their form, or that they are reserved. */
const KEYS: readonly (readonly [key: string, problem: 'form' | 'reserved' | undefined])[] = [
  ['name', undefined],
  ['a', undefined],
  ['0', undefined],
  ['a-b_c.d', undefined],
  ['traceparent', undefined],
  ['', undefined],
  ['com.example/name', undefined],
  ['com.example/', undefined],
  ['a/b', undefined],
  ['x1.y-2/z', undefined],
  ['com.example.mcp/name', undefined],
  ['mcp/name', undefined],
  ['-a', 'form'],
  ['a-', 'form'],
  ['_a', 'form'],
  ['a.', 'form'],
  ['a b', 'form'],
  ['ä', 'form'],
  ['a\n', 'form'],
  ['com.example/-a', 'form'],
  ['com.example/a_', 'form'],
  ['com.example/a/b', 'form'],
  ['/name', 'form'],
  ['.example/name', 'form'],
  ['com./name', 'form'],
  ['com..example/name', 'form'],
  ['1com.example/name', 'form'],
  ['-com.example/name', 'form'],
  ['com-.example/name', 'form'],
  ['com_x.example/name', 'form'],
  ['com example/name', 'form'],
  ['io.modelcontextprotocol/name', 'reserved'],
  ['dev.mcp/name', 'reserved'],
  ['com.mcp.tools/name', 'reserved'],
  ['org.modelcontextprotocol.api/name', 'reserved'],
  ['api.modelcontextprotocol.org/name', 'reserved'],
  ['tools.mcp.com/name', 'reserved'],
  ['IO.ModelContextProtocol/name', 'reserved'],
];

test('[BASE-53] [BASE-54] [BASE-56] [BASE-57] keys of _meta have valid labels and names, and no reserved prefix', () => {
  for (const [key, problem] of KEYS) {
    const said = metaKeyProblem(key);
    const kind = said === undefined ? undefined : /reserved/.test(said) ? 'reserved' : 'form';
    assert.equal(kind, problem, `${JSON.stringify(key)}: ${said}`);
  }
});

test('[BASE-53] [BASE-56] [BASE-57] a reserved or invalid key is an error when the server is made', () => {
  for (const _meta of [{ 'io.modelcontextprotocol/mine': 1 }, { '1com.example/mine': 1 }, { '-mine': 1 }]) {
    const wrong = { name: 'DefinitionError', message: /_meta key/ };
    assert.throws(() => server({ name: 's', tools: { t: tool({ _meta }, () => '') } }), wrong);
    assert.throws(() => server({ name: 's', prompts: { p: prompt({ _meta }, () => '') } }), wrong);
    assert.throws(() => server({ name: 's', resources: { 'a:b': resource({ name: 'r', _meta }, () => '') } }), wrong);
    const app = server({ name: 's' });
    assert.throws(
      () =>
        app.tools.set(
          't',
          tool({ _meta }, () => ''),
        ),
      DefinitionError,
    );
    assert.equal(app.tools.size, 0);
  }
  assert.doesNotThrow(() => server({ name: 's', tools: { t: tool({ _meta: { 'com.example/mine': 1 } }, () => '') } }));
});

const VALID = { [KEY.version]: MODERN, [KEY.capabilities]: {} };
/** Metadata of modern requests, and whether the request is served. */
const CLAIMS: readonly (readonly [what: string, meta: unknown, code: number | undefined])[] = [
  ['no capabilities', { [KEY.version]: MODERN }, -32602],
  ['capabilities that are null', { ...VALID, [KEY.capabilities]: null }, -32602],
  ['capabilities that are a list', { ...VALID, [KEY.capabilities]: [] }, -32602],
  ['capabilities that are true', { ...VALID, [KEY.capabilities]: true }, -32602],
  ['a capability that is true', { ...VALID, [KEY.capabilities]: { sampling: true } }, -32602],
  ['a version that is a number', { ...VALID, [KEY.version]: 20260728 }, -32602],
  ['a version that is null', { ...VALID, [KEY.version]: null }, -32602],
  ['no version', { [KEY.capabilities]: {} }, -32602],
  ['an unknown log level', { ...VALID, [KEY.level]: 'loud' }, -32602],
  ['nothing', {}, -32602],
  ['a list', [VALID], -32602],
  ['a text', 'x', -32602],
  ['no client info', VALID, undefined],
  ['invalid client info', { ...VALID, [KEY.info]: 'me' }, undefined],
  ['a progress token that is an object', { ...VALID, progressToken: {} }, undefined],
];
for (const [what, meta, code] of CLAIMS) {
  test(`[BASE-41] [BASE-43] [LOG-9] a request with ${what} is ${code ?? 'served'}`, async (t) => {
    const it = dialog(t, makeApp());
    for (const method of ['tools/list', 'server/discover']) {
      const { error, result } = await it.request(method, { _meta: meta });
      assert.equal(error?.code, code, method);
      if (code === undefined) assert.equal(result?.['resultType'], 'complete');
    }
  });
}

test('[BASE-41] a request with a malformed modern _meta gets an error that names the wrong key', async (t) => {
  const it = dialog(t, makeApp());
  const told = async (meta: object) => (await it.request('tools/list', { _meta: meta })).error!.message;
  assert.match(await told({ [KEY.version]: MODERN }), /"io\.modelcontextprotocol\/clientCapabilities" is missing/);
  assert.match(await told({ ...VALID, [KEY.level]: 1 }), /"io\.modelcontextprotocol\/logLevel" must be one of debug/);
});

test('[BASE-47] [BASE-19] every result contains its server and that it is complete', async (t) => {
  const it = dialog(t, makeApp());
  const requests: readonly (readonly [string, object?])[] = [
    ['server/discover'],
    ['tools/list'],
    ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }],
    ['tools/call', { name: 'refuse' }],
    ['resources/list'],
    ['resources/templates/list'],
    ['resources/read', { uri: 'test://a' }],
    ['prompts/list'],
    ['prompts/get', { name: 'plain' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }],
  ];
  for (const [method, params] of requests) {
    const { result } = await it.request(method, claimed(params));
    assert.deepEqual(result?.['_meta'], { [KEY.server]: { name: 'protocol', version: '1.0.0' } }, method);
    assert.equal(result['resultType'], 'complete', method);
  }
  const asking = await it.request('tools/call', claimed({ name: 'ask' }, {}, { elicitation: {} }));
  assert.equal(asking.result?.['_meta'][KEY.server].name, 'protocol');
  assert.equal(asking.result['resultType'], 'input_required');
});

for (const revision of revisions) {
  test(`[BASE-51] trace context and baggage are passed on unchanged, and never invented, on ${revision}`, async (t) => {
    const it = dialog(t, makeApp());
    const peer = await startConversation(it, revision);
    const trace = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
      baggage: 'userId=alice,serverNode=DF%2028',
    };
    const metaSeen = async (meta?: object): Promise<Record<string, unknown>> => {
      const { result } = await peer.ask('tools/call', { name: 'meta', _meta: meta });
      return (JSON.parse(result?.['content'][0].text) as { meta: Record<string, unknown> }).meta;
    };
    const seen = await metaSeen(trace);
    for (const [key, value] of Object.entries(trace)) assert.equal(seen[key], value);
    assert.deepEqual(
      Object.keys(await metaSeen()).filter((key) => key in trace),
      [],
    );
    for (const { result } of it.received)
      for (const key of Object.keys(trace)) assert.equal(Object.hasOwn(result?.['_meta'] ?? {}, key), false);
  });

  test(`[BASE-51] a caller's trace context is sent with its request and with no other, on ${revision}`, async () => {
    const sent: Message[] = [];
    await using client = await connect(makeApp(), {
      revision,
      onTrace: ({ kind, text: line }) => void (kind === 'sent' && sent.push(JSON.parse(line) as Message)),
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await client.call('add', { a: 1, b: 2 }, { _meta: { traceparent } });
    await client.call('add', { a: 1, b: 2 });
    const calls = sent.filter(({ method }) => method === 'tools/call');
    assert.deepEqual(
      calls.map(({ params }) => params?.['_meta']?.traceparent),
      [traceparent, undefined],
    );
    assert.equal(sent.filter((message) => JSON.stringify(message).includes('traceparent')).length, 1);
  });

  test(`[BASE-52] unknown keys with a reserved prefix are ignored, whatever they contain, on ${revision}`, async (t) => {
    const it = dialog(t, makeApp());
    const peer = await startConversation(it, revision);
    for (const value of [null, 1, 'x', [], { deep: {} }, true]) {
      const odd = {
        'io.modelcontextprotocol/future': value,
        'dev.mcp/other': value,
        'io.modelcontextprotocol/related-task': value,
        'io.modelcontextprotocol/serverInfo': value,
        'io.modelcontextprotocol/subscriptionId': value,
      };
      const { result } = await peer.ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: odd });
      assert.equal(result?.['content'][0].text, '3', JSON.stringify(value));
    }
  });

  test(`[BASE-52] a client accepts results with such keys unchanged on ${revision}`, async () => {
    for (const value of [null, 1, 'x', [], { deep: {} }]) {
      const _meta = {
        'io.modelcontextprotocol/future': value,
        'io.modelcontextprotocol/serverInfo': value,
        'io.modelcontextprotocol/subscriptionId': value,
      };
      const { client } = await connectScripted({
        ...agreesOn(revision, { capabilities: { tools: {} } }),
        'tools/call': { content: [{ type: 'text', text: 'fine' }], _meta },
      });
      const result = await client.result('x');
      assert.deepEqual(result.content, [{ type: 'text', text: 'fine' }]);
      assert.deepEqual(result._meta?.['io.modelcontextprotocol/future'], value);
      await client.close();
    }
  });
}

test('[BASE-50] [SUBS-6] every notification of a subscription carries its id, with value and type', async (t) => {
  const app = makeApp();
  const it = dialog(t, app);
  const ids = ['sub', 7, '7'] as const;
  const filter = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['test://a'],
  };
  for (const id of ids)
    it.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: claimed({ notifications: filter }) });
  for (const id of ids) {
    const first = await it.next();
    assert.deepEqual(
      [first.method, first.params],
      ['notifications/subscriptions/acknowledged', { _meta: { [KEY.subscription]: id }, notifications: filter }],
    );
  }
  app.tools.set(
    'new',
    tool({}, () => ''),
  );
  app.prompts.set(
    'new',
    prompt({}, () => ''),
  );
  app.resources.set(
    'test://new',
    resource({ name: 'new' }, () => ''),
  );
  app.changed('test://a');
  const told = await it.remaining();
  assert.equal(told.length, 12);
  for (const id of ids) {
    const mine = told.filter(({ params }) => params?.['_meta'][KEY.subscription] === id);
    assert.deepEqual(mine.map(({ method }) => method).toSorted(), [
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
  }
});

test('[SUBS-2] [SUBS-3] the acknowledgement comes first, whatever changes meanwhile', async (t) => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const slow = resource({ name: 'slow' }, () => 'x');
  const source = { list: () => [['slow://a', slow]] as const, get: () => gate.then(() => slow) };
  const app = server({ name: 'slow', providers: [{ resources: source }] });
  const it = dialog(t, app);
  const notifications = { resourceSubscriptions: ['slow://a'] };
  it.send({ jsonrpc: '2.0', id: 's', method: 'subscriptions/listen', params: claimed({ notifications }) });
  app.changed('slow://a');
  assert.deepEqual(await it.remaining(), [], 'the server does not know yet whether there is such a resource');
  app.changed('slow://a');
  open();
  await new Promise((resolve) => setTimeout(resolve, 5));
  app.changed('slow://a');
  const told = await it.remaining();
  assert.equal(told[0]?.method, 'notifications/subscriptions/acknowledged');
  assert.equal(told.at(-1)?.method, 'notifications/resources/updated');
});

test('[STDIO-10] [SUBS-7] a client distinguishes its subscriptions only by that id', async () => {
  const { client, peer } = await connectScripted({
    ...agreesOn(MODERN, { capabilities: { tools: { listChanged: true } } }),
    'subscriptions/listen': () => undefined,
  });
  const watch = client.watch({ list: 'tools' });
  const listen = await peer.next('subscriptions/listen');
  const changes: unknown[] = [];
  const reading = (async () => {
    for await (const change of watch) changes.push(change);
  })();
  const tell = (subscription: unknown) =>
    peer.notify(
      'notifications/tools/list_changed',
      subscription === undefined ? {} : { _meta: { [KEY.subscription]: subscription } },
    );
  await peer.notify('notifications/subscriptions/acknowledged', {
    _meta: { [KEY.subscription]: listen.id },
    notifications: { toolsListChanged: true },
  });
  await tell(String(listen.id));
  await tell(Number(listen.id) + 1);
  await tell(undefined);
  await tell(null);
  await client.ping();
  assert.deepEqual(changes, [], 'only notifications with the id of the subscription count');
  await tell(listen.id);
  await until(() => changes.length > 0);
  await client.close();
  await reading.catch(() => {});
});

test("the _meta of a result is the author's, with the members of the protocol added", async (t) => {
  const app = server({
    name: 'meta',
    tools: { whole: tool({}, () => reply({ content: [text('x')], _meta: { 'com.example/source': 'cache' } })) },
  });
  const it = dialog(t, app);
  const { result } = await it.request('tools/call', claimed({ name: 'whole' }));
  assert.deepEqual(result?.['_meta'], {
    'com.example/source': 'cache',
    [KEY.server]: { name: 'meta', version: '0.0.0' },
  });
});

test('[BASE-55] the keys that this package defines have a prefix of its own domain', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake('2025-11-25', { elicitation: {}, roots: {} });
  for (const [name, method] of [
    ['ask', 'elicitation/create'],
    ['roots', 'roots/list'],
  ] as const) {
    it.send({ jsonrpc: '2.0', id: name, method: 'tools/call', params: { name } });
    const { params } = await it.next((message) => message.method === method);
    const keys = Object.keys(params?.['_meta'] ?? {});
    assert.ok(keys.length > 0);
    for (const key of keys) {
      assert.match(key, /^[a-z]+(?:\.[a-z-]+)+\/[a-z]+$/);
      assert.equal(metaKeyProblem(key), undefined);
    }
  }
});
