import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { PeerError, ProtocolError, TimeoutError, ToolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { META } from '../protocol/meta.ts';
import type { ConnectOptions } from '../open/connect.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type PeerMessage, type Script } from '../testing/scripted-peer.ts';

const MODERN = '2026-07-28';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };
const done = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const form = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: { n: { type: 'string' } } } },
};

function modern(script: Script, options?: ConnectOptions) {
  return connectScripted({ ...agreesOn(MODERN, { capabilities }), ...script }, options);
}
function metaOf(message: PeerMessage): JsonObject {
  return message.params!['_meta'] as JsonObject;
}

test('[BASE-38] [BASE-39] [BASE-40] [ELIC-2] [BASE-37] every request carries version, capabilities and client info', async () => {
  const { client, peer } = await modern(
    {
      'tools/call': done,
      'tools/list': { tools: [] },
      'resources/read': { contents: [] },
      'prompts/get': { messages: [] },
      'completion/complete': { completion: { values: [] } },
      'x/y': {},
    },
    { info: { name: 'me', version: '3' }, roots: ['file:///a'] },
  );
  await client.call(
    't',
    { a: 1 },
    { _meta: { traceparent: TRACE, [META.protocolVersion]: 'forged' }, onProgress() {} },
  );
  await client.tools().all();
  await client.read('u:1');
  await client.prompt('p', { a: 'b' });
  await client.complete({ prompt: 'p' }, { argument: 'a', value: '' });
  await client.request('x/y', { z: 1 });
  await client.ping();
  const requests = peer.received.filter(({ id }) => id !== undefined) as unknown as PeerMessage[];
  assert.equal(requests.length, 8);
  for (const request of requests) {
    const meta = metaOf(request);
    assert.equal(meta[META.protocolVersion], MODERN, request.method);
    assert.deepEqual(meta[META.clientCapabilities], { roots: {} });
    assert.deepEqual(meta[META.clientInfo], { name: 'me', version: '3' });
  }
  assert.equal(metaOf(requests[1]!)['traceparent'], TRACE);
  assert.deepEqual(requests[6]!.params?.['z'], 1);
  await client.close();
});

test('[PROG-1] [PROG-2] progress tokens are unique, and only sent with onProgress', async () => {
  const { client, peer } = await modern({
    'tools/call': ({ params }, peer) =>
      peer
        .notify('notifications/progress', {
          progressToken: (params!['_meta'] as JsonObject)['progressToken'],
          progress: 1,
        })
        .then(() => done),
  });
  const seen: string[] = [];
  await Promise.all([
    client.call('a', {}, { onProgress: () => seen.push('a') }),
    client.call('b', {}, { onProgress: () => seen.push('b') }),
    client.call('c'),
  ]);
  assert.deepEqual(seen.sort(), ['a', 'b']);
  const [a, b, c] = peer.calls('tools/call').map((call) => metaOf(call)['progressToken']);
  assert.ok(Number.isInteger(a) && Number.isInteger(b) && a !== b && c === undefined);
  await client.close();
});

test('[BASE-23] a missing resultType means complete', async () => {
  const { client } = await modern({ 'tools/call': { content: [{ type: 'text', text: 'old' }] } });
  assert.equal(await client.call('t'), 'old');
  await client.close();
});

test('[BASE-22] [BASE-21] [VERS-15] [A-87] an unknown resultType is an invalid response', async () => {
  for (const resultType of ['task', 'partial', 7, null]) {
    const { client } = await modern({ 'tools/call': { ...done, resultType } });
    await assert.rejects(client.call('t'), PeerError);
    await client.close();
  }
});

test('[MRTR-2] input_required is invalid for methods that must not ask for input', async () => {
  const { client } = await modern(
    { 'tools/list': { resultType: 'input_required', inputRequests: { a: form } } },
    { answers: { a: {} } },
  );
  await assert.rejects(client.tools().all(), PeerError);
  await client.close();
});

test('[A-55] the state of a call is sent back byte for byte, however long it is, and is not logged', async () => {
  const logged: string[] = [];
  const log = (entry: object): void => void logged.push(inspect(entry, { depth: 10, maxStringLength: Infinity }));
  for (const state of ['', '+/=', 'SECRET+/=%2B', 'SECRET'.padEnd(65_536, '+/='), 'SECRET \u0000\ufeff\ud83d\ude00']) {
    const { client, peer } = await modern(
      {
        'tools/call': ({ params }) =>
          params!['requestState'] === undefined
            ? { resultType: 'input_required', inputRequests: { a: form }, requestState: state }
            : done,
      },
      { log, answers: { a: {} } },
    );
    await client.call('t');
    assert.equal(peer.calls('tools/call')[1]!.params!['requestState'], state);
    await client.close();
  }
  assert.doesNotMatch(logged.join(), /SECRET/);
});

test('[MRTR-15] [MRTR-16] [MRTR-18] [MRTR-20] [MRTR-22] [TOOL-20] questions are answered and the request is sent again, with a new id and the unchanged state', async () => {
  const state = 'eyJ{"a":1}\u0000\ud83d\ude00 "=';
  const { client, peer } = await modern(
    {
      'tools/call': ({ params }) =>
        params!['inputResponses'] === undefined
          ? { resultType: 'input_required', inputRequests: { a: form, b: form }, requestState: state }
          : done,
    },
    { elicit: ({ name }) => ({ action: 'accept', content: { n: name! } }) },
  );
  assert.equal(await client.call('t', { x: [1] }, { _meta: { k: 1 } }), 'done');
  const [first, second] = peer.calls('tools/call');
  assert.notEqual(second!.id, first!.id);
  assert.deepEqual(second!.params, {
    ...first!.params,
    inputResponses: { a: { action: 'accept', content: { n: 'a' } }, b: { action: 'accept', content: { n: 'b' } } },
    requestState: state,
  });
  await client.close();
});

test('[MRTR-17] [MRTR-21] the state is left out if the last result had none, and is not sent with other requests', async () => {
  let round = 0;
  const { client, peer } = await modern(
    {
      'tools/call': () => {
        round++;
        if (round === 1) return { resultType: 'input_required', inputRequests: { a: form }, requestState: 's1' };
        return round === 2 ? { resultType: 'input_required', inputRequests: { b: form } } : done;
      },
    },
    { answers: { '*': { n: 'x' } } },
  );
  await client.call('t');
  await client.call('t');
  const calls = peer
    .calls('tools/call')
    .map(({ params }) => [
      Object.keys((params!['inputResponses'] as object | undefined) ?? {}),
      params!['requestState'],
    ]);
  assert.deepEqual(calls, [
    [[], undefined],
    [['a'], 's1'],
    [['b'], undefined],
    [[], undefined],
  ]);
  await client.close();
});

test('[MRTR-19] [MRTR-27] after a round without questions, the client waits for at least 250 ms, and longer each time', async () => {
  const clock = fakeClock();
  const times: number[] = [];
  const { client } = await modern(
    {
      'tools/call': ({ params }) => {
        times.push(clock.now());
        assert.equal(params!['inputResponses'], undefined);
        return times.length < 5 ? { resultType: 'input_required', requestState: `s${times.length}` } : done;
      },
    },
    { clock },
  );
  const call = client.call('t');
  await clock.advance(10_000);
  assert.equal(await call, 'done');
  const pauses = times.slice(1).map((at, index) => at - times[index]!);
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000]);
  await client.close();
});

test('[MRTR-27] [A-46] a call that keeps asking for input fails after 10 rounds', async () => {
  let prompts = 0;
  const { client, peer } = await modern(
    { 'tools/call': { resultType: 'input_required', inputRequests: { a: form }, requestState: 's' } },
    { elicit: () => (prompts++, { action: 'accept', content: {} }) },
  );
  await assert.rejects(client.call('t'), (error) => error instanceof PeerError && /10 rounds/.test(error.message));
  assert.equal(prompts, 10);
  assert.equal(peer.calls('tools/call').length, 11);
  await client.close();
});

test('[A-46] a round with hundreds of questions is refused before the user is asked', async () => {
  let prompts = 0;
  const inputRequests = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`q${n}`, form]));
  const { client } = await modern(
    { 'tools/call': { resultType: 'input_required', inputRequests } },
    { elicit: () => (prompts++, { action: 'cancel' }) },
  );
  await assert.rejects(client.call('t'), PeerError);
  assert.equal(prompts, 0);
  await client.close();
});

test('malformed input_required results are errors, also with names of Object.prototype', async () => {
  const bad: JsonObject[] = [
    {},
    { requestState: 7 },
    { inputRequests: [] },
    { inputRequests: { a: { method: 'tools/call', params: {} } } },
    { inputRequests: { a: 'x' } },
  ];
  for (const extra of bad) {
    const { client } = await modern(
      { 'tools/call': { resultType: 'input_required', ...extra } },
      { answers: { '*': 'cancel' } },
    );
    await assert.rejects(client.call('t'), PeerError, JSON.stringify(extra));
    await client.close();
  }
  const text = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"__proto__":${JSON.stringify(form)},"constructor":${JSON.stringify(form)}}}}`;
  const { client, peer } = await modern(
    {
      'tools/call': ({ id, params }, peer) =>
        params!['inputResponses'] === undefined ? peer.send(text.replace('ID', String(id))) : done,
    },
    { answers: { '*': { n: 'x' } } },
  );
  assert.equal(await client.call('t'), 'done');
  assert.deepEqual(Object.keys(peer.calls('tools/call')[1]!.params!['inputResponses'] as object), [
    '__proto__',
    'constructor',
  ]);
  await client.close();
});

test('questions to the user are asked one after the other, in order; sampling and roots run at the same time', async () => {
  const events: string[] = [];
  const wait = () => new Promise((resolve) => setTimeout(resolve, 5));
  const { client } = await modern(
    {
      'tools/call': ({ params }) =>
        params!['inputResponses'] === undefined
          ? {
              resultType: 'input_required',
              inputRequests: {
                a: form,
                s: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
                b: form,
              },
            }
          : done,
    },
    {
      elicit: async ({ name }) => {
        events.push(`+${name}`);
        await wait();
        events.push(`-${name}`);
        return { action: 'decline' };
      },
      sample: () => {
        events.push('s');
        return { role: 'assistant', content: { type: 'text', text: '' }, model: 'm' };
      },
    },
  );
  await client.call('t');
  assert.deepEqual(
    events.filter((event) => event !== 's'),
    ['+a', '-a', '+b', '-b'],
  );
  assert.ok(events.indexOf('s') < events.indexOf('-a'));
  await client.close();
});

test('aborting a call while the user is asked ends it at once and aborts the handler', async () => {
  const controller = new AbortController();
  let told: AbortSignal | undefined;
  const { client, peer } = await modern(
    { 'tools/call': { resultType: 'input_required', inputRequests: { a: form } } },
    {
      elicit: (_question, { signal }) => {
        told = signal;
        setTimeout(() => controller.abort(), 1);
        return new Promise(() => {});
      },
    },
  );
  await assert.rejects(client.call('t', {}, { signal: controller.signal }), { name: 'AbortError' });
  assert.equal(told?.aborted, true);
  assert.equal(peer.calls('tools/call').length, 1);
  await client.close();
});

test('[LIFE-16] [LIFE-18] the total time limit covers all rounds together', async () => {
  const clock = fakeClock();
  const { client, peer } = await modern(
    { 'tools/call': { resultType: 'input_required', requestState: 's' } },
    { clock },
  );
  let ended = false;
  const call = assert.rejects(client.call('t', {}, { maxTimeout: 400 }), TimeoutError).finally(() => (ended = true));
  await clock.advance(399);
  assert.equal(ended, false);
  assert.ok(peer.calls('tools/call').length > 1);
  await clock.advance(1);
  await call;
  await client.close();
});

test('request() answers questions too, and returns the unchanged result', async () => {
  const { client } = await modern(
    {
      'tools/call': ({ params }) =>
        params!['inputResponses'] === undefined
          ? { resultType: 'input_required', inputRequests: { a: form } }
          : { ...done, odd: 1 },
    },
    { answers: { a: 'decline' } },
  );
  assert.deepEqual(await client.request('tools/call', { name: 't' }), { ...done, odd: 1 });
  await client.close();
});

test('[LOG-5] the log level is sent with each request, from the client options or the call options', async () => {
  const logs: unknown[] = [];
  const { client, peer } = await modern(
    {
      'tools/call': (_message, peer) =>
        peer.notify('notifications/message', { level: 'error', logger: 'db', data: { a: 1 } }).then(() => done),
    },
    { onLog: (log) => logs.push(log) },
  );
  await client.call('a');
  await client.call('b', {}, { logLevel: 'debug' });
  await client.setLogLevel('warning');
  await client.call('c');
  assert.deepEqual(
    peer.calls('tools/call').map((call) => metaOf(call)[META.logLevel]),
    ['info', 'debug', 'warning'],
  );
  assert.deepEqual(logs[0], { level: 'error', logger: 'db', data: { a: 1 } });
  assert.deepEqual(peer.calls('logging/setLevel'), []);
  await client.close();
  const { client: quiet, peer: other } = await modern({ 'tools/call': done });
  await quiet.call('a');
  assert.equal(META.logLevel in metaOf(other.calls('tools/call')[0]!), false);
  await quiet.close();
});

test('[PING-5] without a ping method, any response, even an error, shows that the server is alive', async () => {
  const { client, peer } = await modern({});
  await client.ping();
  assert.deepEqual(peer.calls('ping'), []);
  assert.equal(peer.calls('server/discover').length, 2);
  await client.close();
});

test('[RES-15] a missing resource is a protocol error, with either code', async () => {
  for (const code of [-32002, -32602]) {
    const { client } = await modern({
      'resources/read': () => {
        throw new ProtocolError(code, 'no such resource');
      },
    });
    await assert.rejects(client.read('x:y'), (error) => error instanceof ProtocolError && error.code === code);
    await client.close();
  }
});

test('[TOOL-28] null is a structured value, different from a missing one', async () => {
  const { client } = await modern({
    'tools/list': { tools: [] },
    'tools/call': ({ params }) => ({ content: [], ...(params!['name'] === 'n' ? { structuredContent: null } : {}) }),
  });
  assert.equal(await client.call('n'), null);
  assert.equal(await client.call('none'), '');
  await client.close();
});

test('call() throws the text of a failed tool with the whole result; result() does not throw', async () => {
  const failed = { isError: true, content: [{ type: 'text', text: 'Try another city' }] };
  const { client } = await modern({ 'tools/call': failed });
  await assert.rejects(
    client.call('t'),
    (error) => error instanceof ToolError && error.message === 'Try another city' && error.result?.isError === true,
  );
  assert.deepEqual(await client.result('t'), failed);
  await client.close();
});

test('the value of a call is its structured content, else its text, else its content blocks', async () => {
  const results: Record<string, JsonObject> = {
    structure: { content: [{ type: 'text', text: '{}' }], structuredContent: { a: 1 } },
    text: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    blocks: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: '', mimeType: 'image/png' },
      ],
    },
  };
  const { client } = await modern({
    'tools/list': { tools: [] },
    'tools/call': ({ params }) => results[String(params!['name'])],
  });
  assert.deepEqual(await client.call('structure'), { a: 1 });
  assert.equal(await client.call('text'), 'a\nb');
  assert.deepEqual(await client.call('blocks'), results['blocks']!['content']);
  await client.close();
});

test('[BASE-51] [BASE-53] [BASE-54] [BASE-57] an invalid _meta key or trace context is not sent', async () => {
  const { client, peer } = await modern({ 'tools/call': done });
  const bad: Record<string, unknown>[] = [
    { '1com.example/a': 1 },
    { 'com.example-/a': 1 },
    { 'com..example/a': 1 },
    { 'com.example/-a': 1 },
    { 'a b': 1 },
    { 'dev.mcp/a': 1 },
    { traceparent: '00-x' },
    { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
    { traceparent: 7 },
    { baggage: {} },
  ];
  for (const meta of bad) await assert.rejects(client.call('t', {}, { _meta: meta }), TypeError, JSON.stringify(meta));
  assert.equal(peer.calls('tools/call').length, 0);
  for (const meta of [
    { traceparent: TRACE, tracestate: 'a=1', baggage: 'k=v' },
    { 'com.example/a.b-c_1': 1 },
    { 'com.example/': 1 },
  ]) {
    await client.call('t', {}, { _meta: meta });
  }
  await client.close();
});

test('[VERS-14] [VERS-18] extensions are declared with prefixed names, on each request', async () => {
  for (const id of ['nameless', '1bad/x', 'com.mcp/x', '/']) {
    await assert.rejects(modern({}, { extensions: { [id]: {} } }), TypeError, id);
  }
  const extensions = { 'com.example/thing': { a: 1 }, 'io.modelcontextprotocol/ui': {} };
  const { client, peer } = await modern({ 'tools/call': done }, { extensions });
  await client.call('t');
  assert.deepEqual(metaOf(peer.calls('tools/call')[0]!)[META.clientCapabilities], { extensions });
  await client.close();
});
