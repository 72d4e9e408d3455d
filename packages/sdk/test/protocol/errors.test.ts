import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, PeerError, ProtocolError } from '../../src/entries/client.ts';
import { prompt, resource, revisions, server, tool, type Revision } from '../../src/entries/index.ts';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { makeApp } from './app.ts';
import { claimed, dialog, KEY, type Message, MODERN, startConversation } from './dialog.ts';

function codeOf(message: Message): number | undefined {
  return message.error?.code;
}

/** Invalid requests, and the error codes of their responses: one, or one for each era. */
const WRONG: readonly (readonly [
  what: string,
  method: string,
  params: object | undefined,
  code: number | readonly [legacy: number, modern: number],
])[] = [
  ['an unknown method', 'no/such', undefined, -32601],
  ['a method of a client', 'roots/list', undefined, -32601],
  ['[TOOL-29] an unknown tool', 'tools/call', { name: 'none' }, -32602],
  ['[TOOL-29] a call without a name', 'tools/call', {}, -32602],
  ['[TOOL-29] arguments that are not an object', 'tools/call', { name: 'add', arguments: [1] }, -32602],
  ['[RES-12] [RES-13] an unknown resource', 'resources/read', { uri: 'test://none' }, [-32002, -32602]],
  ['[RES-12] [RES-13] a resource that has gone', 'resources/read', { uri: 'test://c' }, [-32002, -32602]],
  ['a read without a URI', 'resources/read', {}, -32602],
  ['[PROMPT-8] an unknown prompt', 'prompts/get', { name: 'none' }, -32602],
  ['[PROMPT-8] a prompt without its required argument', 'prompts/get', { name: 'greet' }, -32602],
  [
    '[PROMPT-8] [PROMPT-9] a prompt with an argument that is not a string',
    'prompts/get',
    { name: 'greet', arguments: { name: 1 } },
    -32602,
  ],
  ['[COMP-5] completion of nothing', 'completion/complete', undefined, -32602],
  [
    '[COMP-5] completion of an unknown prompt',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'a', value: '' } },
    -32602,
  ],
  [
    '[COMP-5] completion of an unknown template',
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'none:///{id}' }, argument: { name: 'id', value: '' } },
    -32602,
  ],
  [
    '[COMP-5] completion of an unknown argument',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'none', value: '' } },
    -32602,
  ],
  [
    '[COMP-8] completion of a value that is not a string',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 1 } },
    -32602,
  ],
  [
    '[COMP-8] completion with known arguments that are not strings',
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: '' },
      context: { arguments: { a: 1 } },
    },
    -32602,
  ],
  ['[LOG-4] [LOG-9] an unknown log level', 'logging/setLevel', { level: 'loud' }, [-32602, -32601]],
  ['[PAGE-9] [PAGE-3] an invented cursor', 'tools/list', { cursor: 'AAAA' }, -32602],
  ['[PAGE-9] [PAGE-3] an empty cursor', 'resources/list', { cursor: '' }, -32602],
  ['[PAGE-9] [PAGE-3] a cursor that is not a string', 'prompts/list', { cursor: 1 }, -32602],
  ['[PAGE-9] [PAGE-3] a huge cursor', 'resources/templates/list', { cursor: 'A'.repeat(1_000_000) }, -32602],
];

for (const revision of revisions) {
  for (const [what, method, params, code] of WRONG) {
    const wanted = typeof code === 'number' ? code : code[revision === MODERN ? 1 : 0]!;
    test(`${what} is ${wanted} on ${revision}, and the next request works`, async (t) => {
      const it = dialog(t, makeApp());
      const peer = await startConversation(it, revision);
      assert.equal(codeOf(await peer.ask(method, params)), wanted);
      await peer.alive();
      assert.deepEqual(it.untaken(), []);
    });
  }

  test(`[PAGE-9] a cursor of one list is not valid for another on ${revision}`, async (t) => {
    const it = dialog(t, makeApp());
    const peer = await startConversation(it, revision);
    const { nextCursor } = (await peer.ask('tools/list')).result!;
    assert.equal(typeof nextCursor, 'string');
    assert.equal(codeOf(await peer.ask('resources/list', { cursor: nextCursor })), -32602);
    assert.ok((await peer.ask('tools/list', { cursor: nextCursor })).result);
  });

  test(`methods of undeclared capabilities do not exist on ${revision}`, async (t) => {
    const it = dialog(t, server({ name: 'empty' }));
    const peer = await startConversation(it, revision);
    const methods = [
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'prompts/list',
      'prompts/get',
      'completion/complete',
    ];
    for (const method of [...methods, 'resources/subscribe', 'resources/unsubscribe']) {
      const answer = await peer.ask(method, {
        name: 'x',
        uri: 'a:b',
        ref: { type: 'ref/prompt', name: 'x' },
        argument: { name: 'x', value: '' },
      });
      assert.equal(codeOf(answer), -32601, method);
    }
  });

  test(`[BASE-24] [BASE-27] [BASE-28] [BASE-29] [BASE-30] [BASE-12] the codes an author throws are sent if they have a meaning on ${revision}`, async (t) => {
    // The author is responsible for a code that does not fit the method or its data.
    const it = dialog(t, makeApp(), { except: /code -32002|elicitations/ });
    const peer = await startConversation(it, revision);
    const modern = revision === MODERN;
    const thrown = async (code: unknown) =>
      codeOf(
        await peer.ask('tools/call', {
          name: 'protocol',
          arguments: { code, data: { supported: [], requested: 'x', requiredCapabilities: {} } },
        }),
      );
    for (const code of [1, 0, -1, 4711, -31_999, -32_769, -32_600, -32_601, -32_602, -32_603])
      assert.equal(await thrown(code), code);
    for (const code of [-32_000, -32_001, -32_019, -32_099]) assert.equal(await thrown(code), modern ? -32_603 : code);
    for (const code of [-32_020, -32_021, -32_022]) assert.equal(await thrown(code), modern ? code : -32_603);
    assert.equal(await thrown(-32_002), modern ? -32_602 : -32_002);
    assert.equal(await thrown(-32_042), revision === '2025-11-25' ? -32_042 : -32_603);
    for (const code of [1.5, 'ENOENT', null, {}, 1e30])
      assert.equal(await thrown(code), -32_603, `${JSON.stringify(code)} is not a code`);
  });

  test(`[RES-14] [RES-12] [PROMPT-8] [COMP-5] [A-33] errors of handlers are an id for the peer, and complete in the log, on ${revision}`, async (t) => {
    for (const [what, value] of THROWN) {
      const it = dialog(t, throwing(value));
      const peer = await startConversation(it, revision);
      const seen: string[] = [];
      const calls: [string, object?][] = [
        ['tools/call', { name: 'now' }],
        ['tools/call', { name: 'later' }],
        ['tools/call', { name: 'typed', arguments: {} }],
        ['resources/read', { uri: 'test://boom' }],
        ['resources/list'],
        ['prompts/get', { name: 'boom', arguments: {} }],
        ['completion/complete', { ref: { type: 'ref/prompt', name: 'boom' }, argument: { name: 'a', value: '' } }],
      ];
      for (const [method, params] of calls) {
        const answer = await peer.ask(method, params);
        const text = method === 'tools/call' ? (answer.result?.['content'][0].text as string) : answer.error!.message;
        if (method === 'tools/call') assert.equal(answer.result?.['isError'], true, what);
        else assert.equal(codeOf(answer), -32603, `${what} in ${method}`);
        const id = /under error ([0-9a-f]{8})/.exec(text)?.[1];
        assert.ok(id !== undefined, `${what} in ${method}: ${text}`);
        seen.push(JSON.stringify(answer));
        const entry = it.log.find(({ message }) => message.includes(id));
        assert.equal(entry?.level, 'error', `${what} in ${method} is in the log`);
        assert.equal(entry.details, value, 'as it was thrown');
      }
      for (const text of seen) {
        assert.ok(text.length < 1_000, what);
        assert.doesNotMatch(text, /SECRETPW|postgres|at .*\.ts|node:internal/, what);
      }
      await peer.alive();
    }
  });
}

const getter = Object.defineProperty({}, 'message', {
  get() {
    throw new Error('SECRETPW in a getter');
  },
});

/** Values that a handler may throw. */
const THROWN: readonly (readonly [string, unknown])[] = [
  ['an error', new Error('postgres://u:SECRETPW@db/x')],
  ['an error of 10 MiB', new Error('SECRETPW'.repeat(1_310_720))],
  ['an error with a cause that is itself', Object.assign(new Error('SECRETPW'), { cause: undefined, self: undefined })],
  ['a text', 'SECRETPW'],
  ['nothing', undefined],
  ['null', null],
  ['a number', 42],
  ['a symbol', Symbol('SECRETPW')],
  ['an object with a getter that throws', getter],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { message: 'SECRETPW' })],
  [
    'an error that looks like one of ours',
    Object.assign(new Error('SECRETPW'), { code: -32602, name: 'ProtocolError' }),
  ],
];

function throwing(value: unknown) {
  const boom = (): never => {
    throw value;
  };
  return server({
    name: 'throws',
    tools: {
      now: tool({}, boom),
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is under test
      later: tool({}, () => Promise.reject(value)),
      typed: tool({ input: { type: 'object' }, output: { type: 'object' } }, boom),
    },
    resources: {
      'test://boom': resource({ name: 'boom' }, boom),
      'test:///{id}': resource({ name: 'listed', list: boom }, boom),
    },
    prompts: {
      boom: prompt({ input: { type: 'object', properties: { a: { type: 'string' } } }, complete: { a: boom } }, boom),
    },
  });
}

test('an error with data that JSON cannot represent is an internal error, its id is free again and the server works', async (t) => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const odd = [
    1n,
    circular,
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
  ];
  const fail = (at: unknown): never => {
    throw new ProtocolError(4711, 'Look at the data', odd[Number(at)]);
  };
  const app = server({
    name: 'odd',
    tools: {
      now: tool({ input: { type: 'object' } }, ({ at }) => fail(at)),
      later: tool({ input: { type: 'object' } }, async ({ at }) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        return fail(at);
      }),
    },
    prompts: {
      now: prompt({ input: { type: 'object', properties: { at: { type: 'string' } } } }, ({ at }) => fail(at)),
    },
  });
  const it = dialog(t, app);
  for (const at of odd.keys()) {
    for (const [method, name] of [
      ['tools/call', 'now'],
      ['tools/call', 'later'],
      ['prompts/get', 'now'],
    ] as const) {
      const params = claimed({ name, arguments: { at: method === 'tools/call' ? at : String(at) } });
      assert.equal(codeOf(await it.request(method, params, 'same')), -32603, `${method} ${name} ${at}`);
    }
  }
  assert.ok((await it.request('server/discover', claimed(), 'same')).result);
});

test('[BASE-31] [VERS-7] an unsupported version is -32022 with the supported ones and the one that was requested', async (t) => {
  const it = dialog(t, makeApp());
  for (const version of ['2025-11-25', '1900-01-01', '', 'x'.repeat(100)]) {
    const { error } = await it.request('tools/list', { _meta: { [KEY.version]: version, [KEY.capabilities]: {} } });
    assert.deepEqual([error?.code, error?.data], [-32022, { supported: [MODERN], requested: version }]);
    assert.match(error?.message ?? '', /supported: 2026-07-28; after "initialize": 2025-11-25, .*2024-11-05$/);
  }
});

test('[BASE-32] [BASE-45] a missing capability is -32021 with an object that shows what to declare', async (t) => {
  const it = dialog(t, makeApp());
  const asked = await it.request('tools/call', claimed({ name: 'ask' }));
  assert.deepEqual(
    [asked.error?.code, asked.error?.data],
    [-32021, { requiredCapabilities: { elicitation: { form: {} } } }],
  );
  const roots = await it.request('tools/call', claimed({ name: 'roots' }, {}, { elicitation: {} }));
  assert.deepEqual([roots.error?.code, roots.error?.data], [-32021, { requiredCapabilities: { roots: {} } }]);
});

for (const revision of ['2025-11-25', MODERN] satisfies Revision[]) {
  test(`[BASE-26] a client gives no meaning to the codes that implementations used on ${revision}`, async () => {
    const code = { now: 0 };
    const { client } = await connectScripted({
      ...agreesOn(revision, { capabilities: { tools: {}, resources: {} } }),
      'tools/call': () => {
        throw new ProtocolError(code.now, 'whatever', { supported: ['2025-06-18'], requiredCapabilities: {} });
      },
    });
    for (let now = -32_000; now >= -32_019; now--) {
      code.now = now;
      await assert.rejects(
        client.call('x'),
        (error: unknown) => error instanceof ProtocolError && error.code === now && error.message === 'whatever',
      );
      assert.equal(client.revision, revision);
    }
    await client.ping();
    await client.close();
  });
}

test('[BASE-26] such codes in answer to the probe are evidence of the legacy era only', async () => {
  for (const code of [-32_000, -32_001, -32_003, -32_004, -32_019]) {
    const { client } = await connectScripted({
      ...agreesOn('2025-06-18'),
      'server/discover': () => {
        throw new ProtocolError(code, 'Unsupported protocol version', { supported: [MODERN] });
      },
    });
    assert.equal(client.revision, '2025-06-18');
    await client.close();
  }
});

test('[BASE-11] [BASE-12] a response with an invalid error fails only the call that waits for it', async () => {
  const bad = [
    '"x"',
    '{"message":"no code"}',
    '{"code":1.5,"message":"x"}',
    '{"code":"1","message":"x"}',
    '{"code":1}',
    'null',
    '[]',
  ];
  const { client } = await connectScripted({
    ...agreesOn(MODERN, { capabilities: { tools: {} } }),
    'tools/call': ({ id, params }, peer) =>
      void peer.send(
        params?.['name'] === 'good'
          ? { jsonrpc: '2.0', id, result: { content: [] } }
          : `{"jsonrpc":"2.0","id":${String(id)},"error":${String(params?.['name'])}}`,
      ),
  });
  for (const error of bad) await assert.rejects(client.call(error), PeerError, error);
  assert.equal(await client.call('good'), '');
  await client.close();
});

test('an error of the server reaches the caller with code, message and data', async () => {
  await using client = await connect(makeApp());
  await assert.rejects(client.call('protocol', { code: 4711, data: { why: ['x'] } }), {
    name: 'ProtocolError',
    code: 4711,
    message: 'As the author said',
    data: { why: ['x'] },
  });
});
