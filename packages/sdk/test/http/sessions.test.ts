// Sessions of legacy clients, as bytes on a socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { memoryStore } from '../../src/entries/http.ts';
import type { Revision } from '../../src/entries/index.ts';
import { type Fields, live, send, until } from './send.ts';
import {
  beginSession,
  fieldsOf,
  initializeBody,
  JSON_FIELDS,
  type LegacySession,
  modernBody,
  sessionAt,
  stage,
} from './stage.ts';

const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const satisfies readonly Revision[];
const s = await stage();
function text(answer: { json: any }): unknown {
  return answer.json.result?.content?.[0]?.text;
}
function call(name: string, args: object = {}, meta?: object) {
  return {
    name,
    arguments: args,
    _meta: meta,
  };
}

for (const revision of LEGACY) {
  test(`[HTTP-68, HTTP-69, HTTP-70, HTTP-12, HTTP-24] a session lives from initialize to DELETE on ${revision}`, async () => {
    const session = await s.session(revision);
    assert.match(session.id, /^[\x21-\x7e]{32,}$/);
    assert.equal(text(await session.request('tools/call', call('echo', { v: 1 }))), '1');
    assert.deepEqual((await session.request('ping')).json.result, {});
    const ended = await session.delete();
    assert.equal(ended.status, 204);
    for (const answer of [
      await session.request('ping'),
      await send(s.url, 'GET', { ...session.fields, accept: 'text/event-stream' }),
      await session.delete(),
    ])
      assert.equal(answer.status, 404, '[HTTP-74]');
  });
}

test('a call that runs when its client ends the session is answered with an empty stream, as if its connection had ended', async () => {
  const session = await s.session('2025-11-25');
  const running = session.begin({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: call('gate', { name: 'ended' }),
  });
  await until(() => s.made.waiting('ended'));
  assert.equal((await session.delete()).status, 204);
  assert.equal(await running.status, 200);
  await running.over;
  assert.deepEqual([running.events, running.text()], [[], '']);
});

test('[HTTP-73, HTTP-74, SSE-18] a missing session is 400, an unknown one 404', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  assert.equal((await send(s.url, 'POST', JSON_FIELDS, body)).status, 400);
  assert.equal((await send(s.url, 'POST', { ...JSON_FIELDS, 'mcp-session-id': 'nope' }, body)).status, 404);
  assert.equal((await send(s.url, 'GET', { accept: 'text/event-stream' })).status, 400);
  assert.equal((await send(s.url, 'DELETE', { 'mcp-session-id': 'nope' })).status, 404);
});

test('[A-18] a session id that comes with initialize is ignored', async () => {
  const greeted = await send(
    s.url,
    'POST',
    { ...JSON_FIELDS, 'mcp-session-id': 'attacker-chosen-1' },
    initializeBody('2025-11-25'),
  );
  assert.equal(greeted.status, 200);
  assert.notEqual(greeted.headers['mcp-session-id'], 'attacker-chosen-1');
  assert.equal((await sessionAt(s.url, 'attacker-chosen-1', '2025-11-25').request('ping')).status, 404);
});

test('[A-14] [HTTP-69, SECU-23] session ids are random and unique', async () => {
  const ids = new Set<string>();
  for (let n = 0; n < 200; n++) {
    const greeted = await send(s.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'));
    const id = String(greeted.headers['mcp-session-id']);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    ids.add(id);
  }
  assert.equal(ids.size, 200);
  assert.ok(new Set([...ids].map((id) => id.slice(0, 4))).size > 150, 'neighbours share no beginning');
});

test('[HTTP-26, HTTP-27] an invalid version header is refused; a missing one means that of the session', async () => {
  const session = await s.session('2025-06-18');
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const bad of ['2025-06-19', 'latest', '', '2030-01-01'])
    assert.equal((await session.post(ping, { 'mcp-protocol-version': bad })).status, 400, bad);
  const { 'mcp-protocol-version': _, ...without } = session.fields;
  assert.equal((await send(s.url, 'POST', without, JSON.stringify(ping))).status, 200);
});

test('[SSE-5, SSE-6, SSE-7, SSE-9] messages of a call come on its stream, the result last, and then it ends', async () => {
  for (const revision of LEGACY) {
    const session = await s.session(revision);
    const listening = session.listen();
    assert.equal(await listening.status, 200);
    const answer = await session.request('tools/call', call('steps', { n: 3 }, { progressToken: 't' }));
    assert.deepEqual(
      answer.messages.map((message) => message.params?.progress ?? message.result.content[0].text),
      [1, 2, 3, '3 steps'],
    );
    const ids = answer.events.map(({ id }) => id);
    assert.ok(ids.every((id) => id !== '') && new Set(ids).size === ids.length, '[SSE-24]');
    const primed = answer.events[0]!.kind === 'empty';
    assert.equal(
      primed,
      revision === '2025-11-25',
      '[SSE-12] only clients that support it get an event with only an id',
    );
    await s.call('change');
    assert.equal((await listening.next()).method, 'notifications/tools/list_changed', '[SSE-22, SSE-19, SSE-20]');
    listening.drop();
  }
});

test('a lost elicitation for 2025 clients: a question reaches the client on the stream of its call, and the answer the handler', async () => {
  for (const revision of ['2025-11-25', '2025-06-18'] as const) {
    const session = await s.session(revision, { elicitation: {} });
    const asking = session.begin({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: call('ask') });
    const question = await asking.next(({ method }) => method === 'elicitation/create');
    const answered = await session.post({
      jsonrpc: '2.0',
      id: question.id,
      result: { action: 'accept', content: { name: 'Ann' } },
    });
    assert.deepEqual([answered.status, answered.text], [202, '']);
    assert.equal((await asking.next(({ id }) => id === 'a')).result.content[0].text, 'Hello, Ann');
    await asking.over;
  }
});

test('a cancellation that never reached the handler: it does, from another connection, and nothing more is sent for the call', async () => {
  const session = await s.session('2025-11-25');
  const before = s.count('gate-aborted');
  const running = session.begin({
    jsonrpc: '2.0',
    id: 9,
    method: 'tools/call',
    params: call('gate', { name: 'c', progress: 1 }, { progressToken: 1 }),
  });
  await running.next(({ method }) => method === 'notifications/progress');
  const noted = await session.post({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 9, reason: 'enough' },
  });
  assert.equal(noted.status, 202);
  await until(() => s.count('gate-aborted') === before + 1);
  await running.over;
  assert.deepEqual(
    running.messages.filter(({ id }) => id === 9),
    [],
  );
  // A call that has not sent anything yet.
  const quiet = session.begin({ jsonrpc: '2.0', id: 10, method: 'tools/call', params: call('gate', { name: 'q' }) });
  await until(() => s.made.waiting('q'));
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 10 } });
  await quiet.over;
  assert.deepEqual(quiet.messages, []);
  // [CANC-13] Cancelling a call that has ended or never existed has no effect.
  for (const requestId of [9, 'never', null])
    assert.equal(
      (await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })).status,
      202,
    );
});

test('[SSE-10] a lost connection cancels nothing', async () => {
  const session = await s.session('2025-11-25');
  const before = s.count('gate-aborted');
  const running = session.begin({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: call('gate', { name: 'lost', progress: 1 }, { progressToken: 1 }),
  });
  await running.next();
  running.drop();
  // A connection that is lost later; its loss does cancel the call.
  const later = live(
    s.url,
    'POST',
    fieldsOf('tools/call', 'gate'),
    modernBody('tools/call', { name: 'gate', arguments: { name: 'later', progress: 1 } }, { progressToken: 1 }),
  );
  await later.next();
  later.drop();
  await until(() => s.count('gate-aborted') > before);
  s.made.open('lost');
  await s.checkWorks();
  assert.equal(s.count('gate-aborted'), before + 1);
});

test('notifications dropped on HTTP: a change made inside a tool reaches all listeners, on every revision', async () => {
  for (const revision of LEGACY) {
    const session = await s.session(revision);
    await session.request('resources/subscribe', { uri: 'note://a' });
    const listening = session.listen();
    await listening.status;
    const other = await s.session('2025-11-25');
    await other.request('tools/call', call('change'));
    await other.request('tools/call', call('touch', { uri: 'note://a' }));
    await other.request('tools/call', call('touch', { uri: 'note://b' }));
    assert.equal((await listening.next()).method, 'notifications/tools/list_changed');
    assert.deepEqual((await listening.next()).params, { uri: 'note://a' });
    await session.request('resources/unsubscribe', { uri: 'note://a' });
    await other.request('tools/call', call('touch', { uri: 'note://a' }));
    await other.request('tools/call', call('change'));
    assert.equal((await listening.next()).method, 'notifications/tools/list_changed');
    assert.equal(listening.messages.length, 3, '[RES-16] nothing after unsubscribe, and nothing for other resources');
    listening.drop();
  }
});

test('a change that comes while no stream is open is sent to the next one', async () => {
  const session = await s.session('2025-11-25');
  await session.request('resources/subscribe', { uri: 'note://a' });
  for (let n = 0; n < 5; n++) await s.call('change');
  const listening = session.listen();
  assert.equal((await listening.next()).method, 'notifications/tools/list_changed');
  await s.call('touch', { uri: 'note://a' });
  assert.equal((await listening.next()).method, 'notifications/resources/updated', 'once');
  listening.drop();
});

test('[A-17] a second GET of a session takes over: the first ends, and each message is sent only to the new one', async () => {
  const session = await s.session('2025-11-25');
  const first = session.listen();
  assert.equal(await first.status, 200);
  const second = session.listen();
  assert.equal(await second.status, 200);
  await first.over;
  for (let n = 0; n < 100; n++) {
    await s.call('change');
    await second.next(({ method }) => method === 'notifications/tools/list_changed');
  }
  assert.deepEqual([first.messages.length, second.messages.length], [0, 100]);
  second.drop();
});

test('[A-28] an id that is in use is refused, the first call continues, and a cancellation applies to it', async () => {
  const session = await s.session('2025-11-25');
  const first = session.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('gate', { name: 'dup' }) });
  await until(() => s.made.waiting('dup'));
  const second = await session.request('tools/call', call('add', { a: 1, b: 2 }), 1);
  assert.deepEqual([second.status, second.json.error.code, second.json.id], [409, -32600, 1]);
  // The same number as a string is another id.
  assert.equal(text(await session.request('tools/call', call('add', { a: 1, b: 2 }), '1')), '3');
  s.made.open('dup');
  await first.over;
  assert.match(first.text(), /through dup/);
});

test('[LOG-2] a level is valid for its session only', async () => {
  const [quiet, loud] = [await s.session('2025-11-25'), await s.session('2025-06-18')];
  await quiet.request('logging/setLevel', { level: 'error' });
  await loud.request('logging/setLevel', { level: 'debug' });
  assert.equal((await quiet.request('tools/call', call('say', { level: 'info' }))).messages.length, 1);
  assert.equal((await loud.request('tools/call', call('say', { level: 'debug' }))).messages.length, 2);
  assert.equal((await quiet.request('logging/setLevel', { level: 'loud' })).json.error.code, -32602);
});

test('[BASE-18] [A-31] batches are only accepted in 2025-03-26', async () => {
  const session = await s.session('2025-03-26');
  const request = (id: unknown, name: string, args: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: call(name, args),
  });
  const both = await session.post([
    request(1, 'add', { a: 1, b: 2 }),
    { jsonrpc: '2.0', method: 'notifications/x' },
    request(2, 'slow', { ms: 5 }),
    { nonsense: true },
  ]);
  assert.equal(both.status, 200);
  assert.deepEqual(
    both.json.map(({ id, error }: any) => [id, error?.code]).sort(),
    [
      [1, undefined],
      [2, undefined],
      [undefined, -32600],
    ].sort(),
  );
  const noted = await session.post([{ jsonrpc: '2.0', method: 'notifications/x' }]);
  assert.deepEqual([noted.status, noted.text], [202, '']);
  const streamed = await session.post([
    { ...request(3, 'steps'), params: call('steps', { n: 2 }, { progressToken: 1 }) },
    request(4, 'add', { a: 1, b: 1 }),
  ]);
  assert.equal(streamed.headers['content-type'], 'text/event-stream');
  assert.deepEqual(
    streamed.messages
      .flat()
      .flatMap(({ id }: any) => id ?? [])
      .sort(),
    [3, 4],
  );
  for (const [batch, what] of [
    [[], 'an empty one'],
    [Array.from({ length: 101 }, (_, n) => request(n, 'add')), 'one of 101'],
    [[JSON.parse(initializeBody('2025-03-26'))], 'one with initialize'],
  ] as const) {
    const answer = await session.post(batch);
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32600], what);
  }
  for (const revision of ['2025-11-25', '2025-06-18', '2024-11-05'] as const) {
    const other = await s.session(revision);
    assert.equal((await other.post([request(1, 'add')])).status, 400, revision);
  }
});

test('[HTTP-13] a response without a waiting request is accepted and dropped; one without a session is refused', async () => {
  const session = await s.session('2025-11-25');
  assert.equal((await session.post({ jsonrpc: '2.0', id: 77, result: {} })).status, 202);
  assert.equal((await send(s.url, 'POST', JSON_FIELDS, '{"jsonrpc":"2.0","id":77,"result":{}}')).status, 400);
});

test('a second initialize is accepted: it begins another session, and the first lives', async () => {
  const session = await s.session('2025-11-25');
  const again = await send(s.url, 'POST', session.fields, initializeBody('2025-11-25'));
  assert.equal(again.status, 200);
  assert.notEqual(again.headers['mcp-session-id'], session.id);
  assert.equal((await session.request('ping')).status, 200);
});

test('[VERS-2] an unknown version is answered with the newest', async () => {
  const greeted = await send(s.url, 'POST', JSON_FIELDS, initializeBody('1999-01-01'));
  assert.equal(greeted.json.result.protocolVersion, '2025-11-25');
});

test('[SSE-17] a GET has to accept streams', async () => {
  const session = await s.session('2025-11-25');
  assert.equal((await send(s.url, 'GET', { ...session.fields, accept: 'application/json' })).status, 406);
  const one = await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { accept: 'application/json' });
  assert.equal(one.status, 406, 'a POST has to take both');
});

for (const [where, shared] of [
  ['in this process', () => ({})],
  ['in a store', () => ({ store: memoryStore() })],
] as const)
  test(`[F-36, HTTP-74] a session ends when it was idle long enough, but not while it is in use: ${where}`, async (t) => {
    const time = stopTime(t);
    const short = await stage({ ...shared(), limits: { sessionIdleMs: 60_000 } });
    const seldom = await short.session('2025-11-25');
    const [idle, listening] = [await short.session('2025-11-25'), await short.session('2025-11-25')];
    const stream = listening.listen();
    await stream.status;
    const busy = await short.session('2025-11-25');
    const running = busy.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('gate', { name: 'idle' }) });
    await until(() => short.made.waiting('idle'));
    await time.pass(59_000);
    assert.equal((await seldom.request('ping')).status, 200);
    await time.pass(2_000);
    assert.equal((await idle.request('ping')).status, 404);
    await time.pass(58_000 - 2_000);
    assert.equal((await seldom.request('ping')).status, 200);
    assert.equal((await listening.request('ping')).status, 200);
    short.made.open('idle');
    await running.over;
    assert.match(running.text(), /through idle/);
    stream.drop();
  });

test('[A-21] beyond the maximum number of sessions, all of them in use, new ones are refused for a while', async (t) => {
  const time = stopTime(t);
  const small = await stage({ limits: { sessions: 5, sessionIdleMs: 60_000 } });
  const sessions = await Promise.all(Array.from({ length: 5 }, () => small.session('2025-11-25')));
  const listen = async (session: LegacySession) => {
    const stream = session.listen();
    await stream.status;
    return stream;
  };
  const streams = await Promise.all(sessions.map(listen));
  const more = await send(small.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'));
  assert.equal(more.status, 503);
  assert.ok(Number(more.headers['retry-after']) > 0);
  assert.equal((await sessions[0]!.request('ping')).status, 200);
  await sessions[1]!.delete();
  streams.push(await listen(await small.session('2025-11-25')));
  assert.equal((await send(small.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'))).status, 503);
  for (const stream of streams) stream.drop();
  await time.pass(100_000);
  assert.equal((await send(small.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'))).status, 200);
  await small.checkWorks();
});

test('[F-37] DELETE during a call cancels it', async () => {
  const session = await s.session('2025-11-25');
  const before = s.count('gate-aborted');
  const running = session.begin({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: call('gate', { name: 'del', progress: 1 }, { progressToken: 1 }),
  });
  await running.next();
  const listening = session.listen();
  await listening.status;
  await session.delete();
  await Promise.all([running.over, listening.over]);
  await until(() => s.count('gate-aborted') === before + 1);
  assert.equal((await session.request('ping')).status, 404);
});

test('[F-40] a question that is never answered times out, and the client is notified', async () => {
  const hasty = await stage({ limits: { requestMaxMs: 50 } });
  const session = await hasty.session('2025-11-25', { elicitation: {} });
  const asking = session.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('ask') });
  const question = await asking.next(({ method }) => method === 'elicitation/create');
  const cancelled = await asking.next(({ method }) => method === 'notifications/cancelled');
  assert.equal(cancelled.params.requestId, question.id);
  assert.equal((await asking.next(({ id }) => id === 1)).result.isError, true);
});

test('[HTTP-22] without sessions each legacy request stands alone', async () => {
  const alone = await stage({ sessions: false });
  const greeted = await send(alone.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'));
  assert.equal(greeted.headers['mcp-session-id'], undefined);
  assert.deepEqual(
    greeted.json.result.capabilities,
    { tools: {}, resources: {} },
    'nothing is promised that needs a session',
  );
  const post = (message: object, more: object = {}) =>
    send(alone.url, 'POST', { ...JSON_FIELDS, 'mcp-protocol-version': '2025-11-25', ...more }, JSON.stringify(message));
  assert.equal((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  assert.equal(text(await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('echo', { v: 1 }) })), '1');
  assert.equal(
    (await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('steps', { n: 2 }, { progressToken: 1 }) }))
      .messages.length,
    3,
  );
  assert.deepEqual((await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).json.result, {});
  assert.equal(
    (await post({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'info' } })).json.error.code,
    -32601,
  );
  const { result: unasked } = (await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('ask') })).json;
  assert.equal(unasked.isError, true);
  assert.match(unasked.content[0].text, /without a session, and this server has none \(`sessions` is false\)/);
  for (const method of ['GET', 'DELETE'])
    assert.equal((await send(alone.url, method, { accept: 'text/event-stream' })).status, 405);
  // Clients that use the same ids at the same time are kept apart.
  const many = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('echo', { v: n }) }),
    ),
  );
  many.forEach((answer, n) => assert.equal(text(answer), `${n}`));
});

test('[LOG-1] without sessions log messages of calls are not sent, as `logging` is not declared: the operator is informed once, and progress is sent', async () => {
  const alone = await stage({ sessions: false });
  const told = () => alone.log.filter(({ event }) => event === 'log-not-sent');
  for (const revision of LEGACY) {
    const greeted = await send(alone.url, 'POST', JSON_FIELDS, initializeBody(revision));
    assert.equal(greeted.json.result.capabilities.logging, undefined);
    const fields: Fields = revision >= '2025-06-18' ? { 'mcp-protocol-version': revision } : {};
    const post = (name: string, args: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call(name, args, { progressToken: 1 }) };
      return send(alone.url, 'POST', { ...JSON_FIELDS, ...fields }, JSON.stringify(message));
    };
    assert.equal((await post('steps', { n: 2 })).messages.length, 3);
    if (revision === LEGACY[0]) assert.deepEqual(told(), []);
    assert.deepEqual(
      (await post('say', { level: 'error' })).messages.map(({ id }) => id),
      [1],
    );
  }
  assert.deepEqual(
    told().map(({ level }) => level),
    ['warn'],
  );
  const level = { 'io.modelcontextprotocol/logLevel': 'info' };
  assert.equal((await alone.call('say', { level: 'error' }, {}, level)).messages.length, 2);
  assert.equal(told().length, 1);
});

test('an abandoned session costs little, whatever the server offers', async () => {
  // Amounts are measured by the benchmarks; here only that nothing else is held: streams, timers, listeners.
  const one = await beginSession(s.url, '2025-11-25');
  const stream = live(s.url, 'GET', { ...one.fields, accept: 'text/event-stream' });
  await stream.status;
  stream.drop();
  await until(async () => {
    const again = one.listen();
    const status = await again.status;
    again.drop();
    return status === 200;
  });
});

test('while a client has no stream open, 100 messages of the server are kept, and the rest is reported', async () => {
  const { url, log } = await stage();
  const session = await beginSession(url, '2025-11-25');
  await session.request('tools/call', { name: 'later', arguments: { times: 103 } });
  await until(() => log.some(({ event }) => event === 'message-dropped'));
  const stream = session.listen();
  for (let time = 1; time <= 100; time++) assert.equal((await stream.next()).params?.['data'], `later ${time}`);
  await session.request('tools/call', { name: 'later', arguments: {} });
  assert.equal((await stream.next()).params?.['data'], 'later 1', 'and nothing between');
  stream.drop();
});

test('the end of a session is signalled to handlers that kept it', async () => {
  const { url, count } = await stage();
  const session = await beginSession(url, '2025-11-25');
  await session.request('tools/call', { name: 'later', arguments: {} });
  await session.delete();
  await until(() => count('session-ended') === 1);
});
