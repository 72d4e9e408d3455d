import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Revision } from '../protocol/revision.ts';
import type { AskContext } from './options.ts';
import type { ConnectOptions } from '../open/connect.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type Script, type ScriptedPeer } from '../testing/scripted-peer.ts';

const MODERN: Revision = '2026-07-28';
function text(value: string) {
  return { content: [{ type: 'text', text: value }] };
}
const offer = { capabilities: { tools: {} } };

/** What came back for a question of the server: the result or error of the session, the input response of the exchange, or the error of the call. */
interface Answered {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly thrown?: Error;
}

/** Puts a question to a client the way the revision does. */
async function question(
  revision: Revision,
  method: string,
  params: JsonObject | undefined,
  options: ConnectOptions,
  name = 'key',
): Promise<Answered> {
  const retries: JsonObject[] = [];
  const script: Script =
    revision === MODERN
      ? {
          'tools/call': ({ params: { inputResponses } = {} }) => {
            if (inputResponses === undefined)
              return {
                resultType: 'input_required',
                inputRequests: { [name]: { method, ...(params === undefined ? {} : { params }) } },
              };
            retries.push(inputResponses as JsonObject);
            return text('done');
          },
        }
      : {
          'tools/call': async (_message, peer) => {
            retries.push(await peer.request(method, params));
            return text('done');
          },
        };
  const { client } = await connectScripted({ ...agreesOn(revision, offer), ...script }, { revision, ...options });
  try {
    await client.call('x');
    return revision === MODERN ? { result: retries[0]![name] } : (retries[0] as Answered);
  } catch (thrown) {
    return { thrown: thrown as Error };
  } finally {
    await client.close();
  }
}

const form = {
  mode: 'form',
  message: 'Who?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, size: { type: 'integer', default: 3 } },
    required: ['name'],
  },
};
const { mode: _mode, ...plainForm } = form;
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
const sampled = { role: 'assistant' as const, content: { type: 'text' as const, text: 'yo' }, model: 'm' };
const both: readonly Revision[] = ['2025-06-18', '2025-11-25', MODERN];

for (const revision of both) {
  test(`[ELIC-14] [ELIC-16] [ELIC-18] a form is answered with its defaults filled in: ${revision}`, async () => {
    let seen: unknown;
    const { result } = await question(revision, 'elicitation/create', plainForm, {
      elicit(question) {
        seen = question;
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    assert.deepEqual(result, { action: 'accept', content: { name: 'Ada', size: 3 } });
    assert.deepEqual(seen, {
      mode: 'form',
      name: revision === MODERN ? 'key' : undefined,
      message: 'Who?',
      schema: form.requestedSchema,
      defaults: { size: 3 },
    });
  });

  test(`[ELIC-18] decline and cancel are answered without content: ${revision}`, async () => {
    for (const action of ['decline', 'cancel'] as const) {
      const { result } = await question(revision, 'elicitation/create', plainForm, {
        elicit: () => ({ action, content: { name: 'x' } }),
      });
      assert.deepEqual(result, { action });
    }
  });

  test(`[ELIC-52] an answer that does not match the form is not sent: ${revision}`, async () => {
    const logs: unknown[] = [];
    const answered = await question(revision, 'elicitation/create', plainForm, {
      elicit: () => ({ action: 'accept', content: { name: 7 as unknown as string } }),
      log: ({ details }) => logs.push(details),
    });
    const error = revision === MODERN ? answered.thrown : logs.find((one) => one instanceof TypeError);
    assert.match(String(error), /does not fit its form: name: must be a string/);
    if (revision !== MODERN) assert.deepEqual(answered.error, { code: -32603, message: 'The client could not answer' });
  });

  test(`the server learns nothing about the error of a handler: ${revision}`, async () => {
    const logs: unknown[] = [];
    const answered = await question(revision, 'elicitation/create', plainForm, {
      elicit: () => {
        throw new Error('postgres://secret');
      },
      log: ({ details }) => logs.push(details),
    });
    if (revision === MODERN) assert.match(String(answered.thrown), /secret/);
    else {
      assert.equal(JSON.stringify(answered.error).includes('secret'), false);
      assert.equal(answered.error?.code, -32603);
      assert.match(String(logs), /secret/);
    }
  });

  test(`[ROOT-5] [A-87] requests for undeclared capabilities are refused: ${revision}`, async () => {
    const cases: [string, JsonObject | undefined, ConnectOptions][] = [
      ['roots/list', undefined, {}],
      ['sampling/createMessage', sampling, {}],
      ['elicitation/create', plainForm, {}],
    ];
    for (const [method, params, options] of cases) {
      const answered = await question(revision, method, params, options);
      if (revision === MODERN) assert.ok(answered.thrown instanceof PeerError, method);
      else assert.equal(answered.error?.code, -32601, method);
    }
  });

  test(`[SAMP-15] sampling is answered by its handler, without context unless it was declared: ${revision}`, async () => {
    let seen: JsonObject = {};
    const { result } = await question(
      revision,
      'sampling/createMessage',
      { ...sampling, includeContext: 'allServers' },
      {
        sample(params) {
          seen = params as unknown as JsonObject;
          return sampled;
        },
      },
    );
    assert.deepEqual(result, sampled);
    assert.equal(seen['includeContext'], 'none');
    assert.equal(seen['maxTokens'], 5);
  });

  test(`[SAMP-16] [SAMP-18] the user can reject a sampling request: ${revision}`, async () => {
    const answered = await question(revision, 'sampling/createMessage', sampling, {
      sample: (_params, { reject }) => reject(),
    });
    if (revision === MODERN) assert.ok(answered.thrown instanceof ProtocolError && answered.thrown.code === -1);
    else assert.deepEqual(answered.error, { code: -1, message: 'User rejected sampling request' });
  });

  test(`a roots function gets the server and a signal: ${revision}`, async () => {
    let known: AskContext | undefined;
    const roots = (context: AskContext) => {
      known = context;
      return ['file:///c'];
    };
    await question(revision, 'roots/list', {}, { roots });
    assert.ok(known!.signal instanceof AbortSignal);
    assert.equal(known!.server?.name, 'scripted');
    assert.equal(known!.call === undefined, revision !== '2026-07-28');
  });

  test(`[ROOT-6] roots/list is answered from the current list or function: ${revision}`, async () => {
    assert.deepEqual(
      (await question(revision, 'roots/list', undefined, { roots: ['file:///a', { uri: 'file:///b', name: 'B' }] }))
        .result,
      {
        roots: [{ uri: 'file:///a' }, { uri: 'file:///b', name: 'B' }],
      },
    );
    assert.deepEqual((await question(revision, 'roots/list', {}, { roots: async () => ['file:///c'] })).result, {
      roots: [{ uri: 'file:///c' }],
    });
  });
}

test('[SAMP-7] tools in sampling that were not declared are an error', async () => {
  const params = { ...sampling, tools: [{ name: 't', inputSchema: { type: 'object' } }] };
  assert.equal(
    (await question('2025-11-25', 'sampling/createMessage', params, { sample: () => sampled })).error?.code,
    -32602,
  );
  assert.ok(
    (await question(MODERN, 'sampling/createMessage', params, { sample: () => sampled })).thrown instanceof PeerError,
  );
  const able = { sample: { handler: () => sampled, tools: true } };
  assert.deepEqual((await question('2025-11-25', 'sampling/createMessage', params, able)).result, sampled);
});

test('[SAMP-17] [SAMP-20] [SAMP-28] missing or mixed tool results are an error', async () => {
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 't', input: {} }] };
  const answer = { type: 'tool_result', toolUseId: 'u', content: [] };
  const bad = [
    [use],
    [use, { role: 'user', content: { type: 'text', text: 'no' } }],
    [use, { role: 'user', content: [answer, { type: 'text', text: 'mixed' }] }],
    [{ role: 'user', content: [answer] }],
    [use, { role: 'assistant', content: [answer] }],
  ];
  const able = { sample: { handler: () => sampled, tools: true } };
  for (const messages of bad) {
    assert.equal(
      (await question('2025-11-25', 'sampling/createMessage', { messages, maxTokens: 1 }, able)).error?.code,
      -32602,
      JSON.stringify(messages),
    );
  }
  const good = [use, { role: 'user', content: [answer] }];
  assert.deepEqual(
    (await question('2025-11-25', 'sampling/createMessage', { messages: good, maxTokens: 1 }, able)).result,
    sampled,
  );
});

test('[SAMP-11] the answer of the handler uses tools as the request asks', async () => {
  const tools = [{ name: 't', inputSchema: { type: 'object' } }];
  const answer = (...names: string[]) => ({
    ...sampled,
    content:
      names.length === 0 ? sampled.content : names.map((name) => ({ type: 'tool_use', id: name, name, input: {} })),
  });
  const asked = async (params: object, given: object) =>
    question(
      '2025-11-25',
      'sampling/createMessage',
      { ...sampling, ...params },
      {
        sample: { handler: () => given as never, tools: true },
      },
    );
  for (const [params, given] of [
    [{ tools, toolChoice: { mode: 'required' } }, answer()],
    [{ tools, toolChoice: { mode: 'none' } }, answer('t')],
    [{ tools }, answer('other')],
    [{}, answer('t')],
  ] as const)
    assert.equal((await asked(params, given)).error?.code, -32603, JSON.stringify(params));
  for (const [params, given] of [
    [{ tools, toolChoice: { mode: 'required' } }, answer('t')],
    [{ tools, toolChoice: { mode: 'none' } }, answer()],
    [{ tools, toolChoice: { mode: 'auto' } }, answer('t')],
    [{ tools }, answer()],
  ] as const)
    assert.deepEqual((await asked(params, given)).result, given, JSON.stringify(params));
});

test('[SAMP-22] sampling requests and their results are not logged', async () => {
  const logged: string[] = [];
  const log = (entry: object): void => void logged.push(inspect(entry, { depth: 10 }));
  const secret = { ...sampling, messages: [{ role: 'user', content: { type: 'text', text: 'SECRET-QUESTION' } }] };
  for (const handler of [
    () => ({ ...sampled, content: { type: 'text', text: 'SECRET-ANSWER' } }),
    () => ({ ...sampled, content: { type: 'tool_use', id: 'SECRET-ID', name: 'SECRET-TOOL', input: {} } }),
    ({ messages }: { messages: unknown }) => ({ role: messages }),
  ])
    for (const revision of ['2025-11-25', MODERN] as const)
      await question(revision, 'sampling/createMessage', secret, { log, sample: handler as never });
  assert.doesNotMatch(logged.join(), /SECRET/);
});

test('[ELIC-25] an undeclared elicitation mode is refused', async () => {
  const page = { mode: 'url', message: 'Log in', url: 'https://example.com', elicitationId: 'e' };
  const accept = () => ({ action: 'accept' as const });
  assert.equal((await question('2025-11-25', 'elicitation/create', page, { elicit: accept })).error?.code, -32602);
  assert.ok((await question(MODERN, 'elicitation/create', page, { elicit: accept })).thrown instanceof PeerError);
  assert.equal(
    (await question('2025-11-25', 'elicitation/create', form, { elicit: { handler: accept, form: false, url: true } }))
      .error?.code,
    -32602,
  );
});

test('[ELIC-18] [ELIC-21] [ELIC-45] a URL question is passed on unchanged, never fetched, and accepted without content', async () => {
  let seen: unknown;
  const page = { mode: 'url', message: 'Log in', url: 'https://example.com/?a=1', elicitationId: '..\u0000opaque' };
  const elicit = {
    handler: (question: unknown) => ((seen = question), { action: 'accept' as const, content: { leaked: 'x' } }),
    url: true,
  };
  assert.deepEqual((await question('2025-11-25', 'elicitation/create', page, { elicit })).result, { action: 'accept' });
  assert.deepEqual(seen, {
    mode: 'url',
    name: undefined,
    message: 'Log in',
    url: page.url,
    elicitationId: page.elicitationId,
  });
  assert.equal(
    (await question('2025-11-25', 'elicitation/create', { ...page, url: 'nonsense' }, { elicit })).error?.code,
    -32602,
  );
});

test('elicitation is an unknown method in revisions without it', async () => {
  for (const revision of ['2024-11-05', '2025-03-26'] as const) {
    const answered = await question(revision, 'elicitation/create', plainForm, {
      elicit: () => ({ action: 'cancel' }),
    });
    assert.equal(answered.error?.code, -32601);
  }
});

test('forms of the first revision with elicitation are supported: enumNames, no mode', async () => {
  const requestedSchema = {
    type: 'object',
    properties: { env: { type: 'string', enum: ['p', 's'], enumNames: ['Prod', 'Stage'] } },
  };
  const answered = await question(
    '2025-06-18',
    'elicitation/create',
    { message: 'Where?', requestedSchema },
    { elicit: () => ({ action: 'accept', content: { env: 'p' } }) },
  );
  assert.deepEqual(answered.result, { action: 'accept', content: { env: 'p' } });
});

test('scripted answers are found by name, by message, or by `*`', async () => {
  const named = { ...plainForm, _meta: { 'dev.tenon/question': 'who' } };
  const ask = (params: JsonObject, answers: ConnectOptions['answers']) =>
    question('2025-11-25', 'elicitation/create', params, { answers: answers! });
  assert.deepEqual((await ask(named, { who: { name: 'A' }, 'Who?': { name: 'B' }, '*': 'cancel' })).result, {
    action: 'accept',
    content: { name: 'A', size: 3 },
  });
  assert.deepEqual((await ask(plainForm, { who: { name: 'A' }, 'Who?': { name: 'B' }, '*': 'cancel' })).result, {
    action: 'accept',
    content: { name: 'B', size: 3 },
  });
  assert.deepEqual((await ask(plainForm, { '*': 'cancel' })).result, { action: 'cancel' });
  assert.deepEqual((await ask(plainForm, { '*': async ({ message }) => ({ name: message }) })).result, {
    action: 'accept',
    content: { name: 'Who?', size: 3 },
  });
  assert.equal((await ask(plainForm, { other: 'cancel' })).error?.code, -32603);
  assert.equal((await ask({ ...plainForm, message: '__proto__' }, { '*': 'decline' })).error, undefined);
  const modern = await question(MODERN, 'elicitation/create', plainForm, { answers: { key: { name: 'K' } } });
  assert.deepEqual(modern.result, { action: 'accept', content: { name: 'K', size: 3 } });
  const none = await question(MODERN, 'elicitation/create', plainForm, { answers: {} });
  assert.match(String(none.thrown), /no answer to the question 'key'/);
});

async function legacyPeer(
  options: ConnectOptions,
  script: Script = {},
): Promise<{ peer: ScriptedPeer; close(): Promise<void> }> {
  const { client, peer } = await connectScripted(
    { ...agreesOn('2025-11-25', offer), ...script },
    { revision: '2025-11-25', ...options },
  );
  return { peer, close: () => client.close() };
}

test('[PING-1] ping is answered at once with an empty result', async () => {
  const { peer, close } = await legacyPeer({});
  assert.deepEqual(await peer.request('ping'), { jsonrpc: '2.0', id: 'peer-1', result: {} });
  await close();
});

test('an answer has the id of its request, as it was; a request whose id would change gets none, and is reported', async () => {
  const log: string[] = [];
  const { client, peer } = await connectScripted(agreesOn('2025-11-25'), {
    revision: '2025-11-25',
    log: ({ event }) => log.push(event),
  });
  const answered = [
    '0',
    '-5',
    '9007199254740991',
    '-9007199254740991',
    '1e3',
    '1000.0',
    '"1000"',
    '"9007199254740993"',
    '""',
  ];
  for (const id of answered) await peer.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  for (const id of ['9007199254740993', '-9007199254740993', '1e21', '1e999', '1.5', 'null', '[1]', 'true'])
    await peer.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  await client.ping();
  const ids = peer.received.filter(({ method }) => method === undefined).map(({ id }) => id);
  assert.deepEqual(
    ids,
    answered.map((id) => JSON.parse(id)),
  );
  assert.equal(log.filter((event) => event === 'invalid-message').length, 8);
  await client.close();
});

test('an unknown request of the server is refused', async () => {
  const { peer, close } = await legacyPeer({});
  for (const method of ['tools/list', 'x', '__proto__', 'constructor']) {
    assert.equal(((await peer.request(method))['error'] as JsonObject)['code'], -32601);
  }
  await close();
});

test('[CANC-5] [CANC-9] [CANC-10] a request the server cancels is stopped and gets no answer; other cancellations are ignored', async () => {
  let signal: AbortSignal | undefined;
  const log: string[] = [];
  const { peer, close } = await legacyPeer({
    log: ({ message }) => log.push(message),
    sample: (_params, context) =>
      new Promise((_, reject) => {
        signal = context.signal;
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  });
  await peer.send({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: sampling });
  await peer.request('ping');
  for (const params of [undefined, {}, { requestId: null }, { requestId: 'other' }, { requestId: ['q'] }])
    await peer.notify('notifications/cancelled', params);
  await peer.request('ping');
  assert.equal(signal?.aborted, false);
  await peer.notify('notifications/cancelled', { requestId: 'q', reason: 'changed my mind' });
  await peer.request('ping');
  assert.equal(signal?.aborted, true);
  assert.equal(
    peer.received.some(({ id }) => id === 'q'),
    false,
  );
  assert.ok(log.some((line) => line.includes('changed my mind')));
  await close();
});

test('[CANC-5] a question that the server cancels at once does not reach the handler', async () => {
  const asked: string[] = [];
  const { peer, close } = await legacyPeer({
    elicit() {
      asked.push('elicit');
      return { action: 'accept' };
    },
    sample() {
      asked.push('sample');
      return sampled;
    },
    roots() {
      asked.push('roots');
      return [];
    },
  });
  const questions = new Map<string, JsonObject>([
    ['elicitation/create', plainForm],
    ['sampling/createMessage', sampling],
    ['roots/list', {}],
  ]);
  for (const [method, params] of questions) {
    void peer.send({ jsonrpc: '2.0', id: method, method, params });
    void peer.notify('notifications/cancelled', { requestId: method });
  }
  await peer.request('roots/list');
  assert.deepEqual(asked, ['roots']);
  assert.ok(!peer.received.some(({ id }) => questions.has(String(id))));
  await close();
});

test('[CANC-5] the answer of a handler after the cancellation is not sent', async () => {
  let answer!: (result: typeof sampled) => void;
  let begin!: () => void;
  const asked = new Promise<void>((resolve) => (begin = resolve));
  const sample = (): Promise<typeof sampled> => {
    begin();
    return new Promise((resolve) => (answer = resolve));
  };
  const { peer, close } = await legacyPeer({ sample });
  await peer.send({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: sampling });
  await asked;
  await peer.notify('notifications/cancelled', { requestId: 'q' });
  await peer.request('ping');
  answer(sampled);
  await peer.request('ping');
  await peer.request('ping');
  assert.equal(
    peer.received.some(({ id }) => id === 'q'),
    false,
  );
  await close();
});

test('a request with an id that is in use is refused', async () => {
  const { peer, close } = await legacyPeer({ sample: () => new Promise(() => {}) });
  await peer.send({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: sampling });
  await peer.send({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: sampling });
  await peer.request('ping');
  assert.deepEqual(
    peer.received.filter(({ id }) => id === 'q').map(({ error }) => (error as JsonObject)['code']),
    [-32600],
  );
  await close();
});

test('[BASE-79] [STDIO-8] [BASE-78] in the modern era a request of the server gets no answer and is reported', async () => {
  const log: string[] = [];
  const { client, peer } = await connectScripted(agreesOn(MODERN, offer), {
    log: ({ event }) => log.push(event),
    roots: ['file:///a'],
    sample: () => sampled,
  });
  await peer.send({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
  await peer.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  await client.ping();
  assert.deepEqual(log, ['unexpected-request', 'unexpected-request']);
  assert.ok(peer.received.every((message) => 'method' in message));
  await client.close();
});

test('[BASE-16] [BASE-18] arrays of messages are accepted in 2025-03-26, and in no other revision', async () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const) {
    const { client, peer } = await connectScripted(agreesOn(revision), { revision });
    await peer.send([
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', id: 'b', method: 'ping' },
    ]);
    await client.ping();
    assert.equal(
      peer.received.some(({ id }) => id === 'b'),
      revision === '2025-03-26',
      revision,
    );
    assert.ok(peer.texts.every((text) => !text.startsWith('[')));
    await client.close();
  }
});

test('[ROOT-1] [ROOT-3] a legacy server is notified of changed roots', async () => {
  const { client, peer } = await connectScripted(agreesOn('2025-11-25'), {
    revision: '2025-11-25',
    roots: ['file:///a'],
  });
  assert.deepEqual((peer.calls('initialize')[0]!.params as JsonObject)['capabilities'], {
    roots: { listChanged: true },
  });
  await client.setRoots(['file:///b']);
  await peer.next('notifications/roots/list_changed');
  assert.deepEqual((await peer.request('roots/list'))['result'], { roots: [{ uri: 'file:///b' }] });
  await client.close();
});

test('[ROOT-2] a modern server is not notified of changed roots', async () => {
  const { client, peer } = await connectScripted(agreesOn(MODERN), { roots: ['file:///a'] });
  const meta = (peer.received[0]!['params'] as JsonObject)['_meta'] as JsonObject;
  assert.deepEqual(meta['io.modelcontextprotocol/clientCapabilities'], { roots: {} });
  await client.setRoots(['file:///b']);
  await client.ping();
  assert.ok(peer.received.every(({ method }) => method === 'server/discover'));
  await client.close();
});

test("[ROOT-4] [ROOT-7] a root must be a file:// URI without '..'", async () => {
  for (const root of ['https://example.com', '/etc', 'file:///a/../b', 'file:///a/%2e%2E/b', 'file:///a/..', '']) {
    await assert.rejects(connectScripted({}, { roots: [root] }), TypeError, root);
    const logs: unknown[] = [];
    const answered = await question('2025-11-25', 'roots/list', undefined, {
      roots: () => [root],
      log: ({ details }) => logs.push(details),
    });
    assert.equal(answered.error?.code, -32603);
  }
  const { client } = await connectScripted(agreesOn(MODERN), { roots: ['file:///a..b/..c/d'] });
  await assert.rejects(client.setRoots(['ftp://x']), TypeError);
  await client.close();
  const { client: without } = await connectScripted(agreesOn(MODERN));
  await assert.rejects(without.setRoots(['file:///a']), TypeError);
  await without.close();
});

test('[ELIC-1] [ELIC-2] [ELIC-3] [SAMP-1] [SAMP-2] [SAMP-5] capabilities are declared in the format of the revision', async () => {
  const options: ConnectOptions = {
    elicit: { handler: () => ({ action: 'cancel' }), url: true },
    sample: { handler: () => sampled, tools: true, context: true },
  };
  const declared = async (revision: Revision, given: ConnectOptions): Promise<unknown> => {
    const { client, peer } = await connectScripted(agreesOn(revision), { revision, ...given });
    await client.close();
    const params = peer.received[0]!['params'] as JsonObject;
    return params['capabilities'] ?? (params['_meta'] as JsonObject)['io.modelcontextprotocol/clientCapabilities'];
  };
  const full = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} } };
  assert.deepEqual(await declared(MODERN, options), full);
  assert.deepEqual(await declared('2025-11-25', options), full);
  assert.deepEqual(await declared('2025-06-18', options), { elicitation: {}, sampling: {} });
  assert.deepEqual(await declared('2024-11-05', options), { sampling: {} });
  assert.deepEqual(await declared(MODERN, { elicit: () => ({ action: 'cancel' }) }), { elicitation: { form: {} } });
  assert.deepEqual(await declared(MODERN, { answers: {} }), { elicitation: { form: {}, url: {} } });
  assert.deepEqual(await declared(MODERN, {}), {});
});

test('a call does not time out while the user is being asked, in either era', async () => {
  for (const revision of both) {
    const clock = fakeClock();
    const slow: ConnectOptions = {
      clock,
      timeout: 40,
      elicit: async () => {
        await clock.advance(100);
        return { action: 'decline' };
      },
    };
    assert.deepEqual((await question(revision, 'elicitation/create', plainForm, slow)).result, { action: 'decline' });
    const never = await question(revision, 'elicitation/create', plainForm, {
      clock,
      timeout: 30,
      maxTimeout: 60,
      elicit: () => {
        void clock.advance(60);
        return new Promise(() => {});
      },
    });
    assert.ok(never.thrown instanceof TimeoutError, revision);
  }
});
