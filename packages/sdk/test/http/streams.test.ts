// Streams that are lost, resumed, cut and kept open.
import assert from 'node:assert/strict';
import { connect as connectSocket } from 'node:net';
import { test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { live, send, until } from './send.ts';
import { fieldsOf, initializeBody, JSON_FIELDS, type LegacySession, modernBody, stage } from './stage.ts';

const s = await stage();
function call(name: string, args: object, meta?: object) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
  };
}
function resume(session: LegacySession, id: string) {
  return session.listen({ 'last-event-id': id });
}

test('[SSE-26, SSE-27, SSE-28, SSE-29] [A-20] a stream is resumed after the last event that was received, and contains nothing of another stream', async () => {
  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26'] as const) {
    const session = await s.session(revision);
    const one = session.begin(call('gate', { name: `one-${revision}`, progress: 3 }, { progressToken: 'one' }));
    const two = session.begin({
      ...call('gate', { name: `two-${revision}`, progress: 3 }, { progressToken: 'two' }),
      id: 2,
    });
    for (const stream of [one, two]) for (let n = 0; n < 3; n++) await stream.next();
    const seen = one.events.filter(({ kind }) => kind === 'message')[0]!.id;
    one.drop();
    const rest = resume(session, seen);
    assert.equal(await rest.status, 200);
    s.made.open(`one-${revision}`);
    s.made.open(`two-${revision}`);
    await rest.over;
    assert.deepEqual(
      rest.messages.map((message) => message.params?.progress ?? message.result.content[0].text),
      [2, 3, `through one-${revision}`],
    );
    assert.ok(rest.messages.every(({ params }) => params === undefined || params.progressToken === 'one'));
    await two.over;
    // [F-46] Even after everything has ended.
    const again = resume(session, rest.events[0]!.id);
    await again.over;
    assert.deepEqual(
      again.events.map(({ id }) => id),
      rest.events.slice(1).map(({ id }) => id),
    );
  }
});

test('a stream that ends in the turn in which it began is one response with its length; others are sent as they come', async () => {
  for (const whole of [
    { name: 'flood', arguments: { bytes: 30_000 } },
    { name: 'awaiting', arguments: { count: 3 } },
  ]) {
    const modern = await send(
      s.url,
      'POST',
      fieldsOf('tools/call', whole.name),
      modernBody('tools/call', whole, { progressToken: 'p' }),
    );
    const session = await s.session('2025-11-25');
    const legacy = await session.request('tools/call', { ...whole, _meta: { progressToken: 'p' } });
    for (const { headers, text, messages } of [modern, legacy]) {
      assert.equal(headers['content-type'], 'text/event-stream');
      assert.equal(headers['content-length'], String(Buffer.byteLength(text)));
      assert.deepEqual(
        messages.map(({ params }) => params?.progress).filter((progress) => progress !== undefined),
        [1, 2, 3],
      );
    }
  }

  const gate = { name: 'gate', arguments: { name: 'length', progress: 2 } };
  const gated = live(
    s.url,
    'POST',
    fieldsOf('tools/call', 'gate'),
    modernBody('tools/call', gate, { progressToken: 'p' }),
  );
  assert.equal((await gated.headers)['content-length'], undefined);
  assert.equal((await gated.next()).params.progress, 1);
  s.made.open('length');
  await gated.over;
  assert.equal(gated.messages.length, 3);
});

test('[SSE-8, SSE-13, SSE-15] only if configured, and for 2025-11-25, the stream of a call is closed before its end, with the time to reconnect', async () => {
  const polled = await stage({ polling: { afterMs: 60, retryMs: 1_234 } });
  for (const revision of ['2025-11-25', '2025-06-18'] as const) {
    const session = await polled.session(revision);
    const begun = session.begin(call('slow', { ms: 300 }));
    await begun.over;
    const answered = begun.text().includes('slept');
    assert.equal(answered, revision === '2025-06-18');
    if (answered) continue;
    assert.match(begun.text(), /^retry: 1234$/m);
    // The new connection is closed again, until the result arrives.
    let last = begun.events.at(-1)!.id;
    for (let polls = 0; ; polls++) {
      assert.ok(polls < 20);
      const rest = resume(session, last);
      await rest.over;
      last = rest.events.at(-1)?.id ?? last;
      const result = rest.messages.find(({ id }) => id === 1);
      if (result === undefined) continue;
      assert.equal(result.result.content[0].text, 'slept');
      assert.ok(polls > 0);
      break;
    }
  }
  const whole = (await s.session('2025-11-25')).begin(call('slow', { ms: 300 }));
  await whole.over;
  assert.match(whole.text(), /slept/);
});

test('[SSE-25] an event id identifies its stream', async () => {
  const session = await s.session('2025-11-25');
  const streamOf = async (): Promise<Set<string>> => {
    const { events } = await session.post(call('steps', { n: 4 }, { progressToken: 1 }));
    return new Set(events.map(({ id }) => id.replace(/_\d+$/, '')));
  };
  const [one, two] = [await streamOf(), await streamOf()];
  assert.equal(one.size, 1);
  assert.equal(two.size, 1);
  assert.notDeepEqual(one, two);
});

test('[SSE-12] a stream can be resumed from its first event, before any message was sent', async () => {
  const session = await s.session('2025-11-25', { elicitation: {} });
  const asking = session.begin(call('ask', {}));
  await asking.next();
  const primer = asking.events[0]!;
  assert.equal(primer.kind, 'empty');
  asking.drop();
  const rest = resume(session, primer.id);
  const question = await rest.next(({ method }) => method === 'elicitation/create');
  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Bo' } } });
  assert.equal((await rest.next(({ id }) => id === 1)).result.content[0].text, 'Hello, Bo');
});

test('[A-19] [F-49] event ids of others, invented ones, and those no longer stored are refused, but not like an ended session', async (t) => {
  const time = stopTime(t);
  const [alice, bob] = [await s.session('2025-11-25'), await s.session('2025-11-25')];
  const hers = await alice.post(call('steps', { n: 2 }, { progressToken: 1 }));
  for (const id of [
    hers.events[0]!.id,
    '_GET_stream:1',
    '1',
    '0',
    'stream1_1',
    hers.events[0]!.id.replace(/_\d+$/, '_999'),
    'x'.repeat(5_000),
  ]) {
    const answer = await send(s.url, 'GET', { ...bob.fields, accept: 'text/event-stream', 'last-event-id': id });
    assert.equal(answer.status, 400, id.slice(0, 60));
    assert.deepEqual(answer.events, []);
  }
  const brief = await stage({ limits: { resumeMs: 50 } });
  const session = await brief.session('2025-11-25');
  const done = await session.post(call('steps', { n: 2 }, { progressToken: 1 }));
  await time.pass(50);
  const late = await send(brief.url, 'GET', {
    ...session.fields,
    accept: 'text/event-stream',
    'last-event-id': done.events[0]!.id,
  });
  assert.equal(late.status, 400);
  assert.equal((await session.request('ping')).status, 200);
});

test('[F-45, F-47] if a stream is cut after every few events, each event arrives once, in order', async () => {
  for (const every of [1, 7, 100]) {
    const session = await s.session('2025-11-25');
    const total = 400;
    const got: number[] = [];
    let stream = session.begin(call('steps', { n: total }, { progressToken: 1 }));
    let last = '';
    for (let rounds = 0; rounds < 2_000; rounds++) {
      let count = 0;
      let ended = false;
      void stream.over.then(() => (ended = true));
      await until(() => stream.events.filter(({ kind }) => kind === 'message').length >= every || ended);
      stream.drop();
      for (const event of stream.events) {
        if (count >= every) break;
        last = event.id;
        if (event.kind !== 'message') continue;
        count++;
        got.push(JSON.parse(event.data).params?.progress ?? Infinity);
      }
      if (got.at(-1) === Infinity) break;
      stream = resume(session, last);
    }
    assert.deepEqual(got, [...Array.from({ length: total }, (_, n) => n + 1), Infinity], `cut every ${every}`);
  }
});

test('[F-48] of two connections that resume the same stream one continues, the other ends', async () => {
  const session = await s.session('2025-11-25');
  const running = session.begin(call('gate', { name: 'race', progress: 2 }, { progressToken: 1 }));
  await running.next();
  const { id } = running.events[0]!;
  running.drop();
  const first = resume(session, id);
  await first.next();
  const second = resume(session, id);
  await second.next();
  await first.over;
  s.made.open('race');
  await second.over;
  assert.equal(second.messages.at(-1).result.content[0].text, 'through race');
  assert.equal(first.messages.filter(({ result }) => result !== undefined).length, 0);
});

test('[SSE-21] the notification stream is resumed where it was lost', async () => {
  const session = await s.session('2025-11-25');
  await session.request('resources/subscribe', { uri: 'note://a' });
  const listening = session.listen();
  await listening.status;
  await s.call('touch', { uri: 'note://a' });
  await listening.next();
  const { id } = listening.events.at(-1)!;
  listening.drop();
  await s.call('change');
  await s.call('touch', { uri: 'note://a' });
  const again = resume(session, id);
  const methods = [(await again.next()).method, (await again.next()).method].sort();
  assert.deepEqual(methods, ['notifications/resources/updated', 'notifications/tools/list_changed']);
  // A second notification would have arrived before this one.
  await session.request('resources/subscribe', { uri: 'note://b' });
  await s.call('touch', { uri: 'note://b' });
  assert.equal((await again.next()).params.uri, 'note://b');
  again.drop();
});

test('[SSE-34, SSE-35] a silent stream is kept open by comments, and a call that takes long becomes one', async () => {
  const quick = await stage({ limits: { keepAliveMs: 60 } });
  const slow = live(
    quick.url,
    'POST',
    fieldsOf('tools/call', 'slow'),
    modernBody('tools/call', { name: 'slow', arguments: { ms: 400 } }),
  );
  assert.equal((await slow.headers)['content-type'], 'text/event-stream');
  await slow.over;
  assert.ok((slow.text().match(/^:$/gm) ?? []).length >= 1, slow.text());
  assert.equal(slow.messages.at(-1).result.content[0].text, 'slept');
  const only = await send(
    quick.url,
    'POST',
    fieldsOf('tools/call', 'slow', { accept: 'application/json' }),
    modernBody('tools/call', { name: 'slow', arguments: { ms: 200 } }),
  );
  assert.equal(only.headers['content-type'], 'application/json');
  const session = await quick.session('2025-11-25');
  const listening = session.listen();
  await until(() => /^:$/m.test(listening.text()));
  listening.drop();
  const waited = session.begin(call('slow', { ms: 200 }));
  assert.equal((await waited.headers)['content-type'], 'text/event-stream');
  await waited.over;
});

test('[F-24] a peer that does not read is cut off, and the data that waits for it is limited', async () => {
  const strict = await stage({ limits: { keepAliveMs: 60, streamBytes: 64 * 1024 } });
  const body = modernBody(
    'tools/call',
    { name: 'steps', arguments: { n: 200_000 } },
    { progressToken: 'x'.repeat(500) },
  );
  const socket = connectSocket(strict.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  const fields = Object.entries({ ...fieldsOf('tools/call', 'steps'), host: `127.0.0.1:${strict.port}` }).map(
    ([name, value]) => `${name}: ${String(value)}\r\n`,
  );
  socket.write(`POST /mcp HTTP/1.1\r\n${fields.join('')}content-length: ${body.length}\r\n\r\n${body}`);
  const before = process.memoryUsage().rss;
  await until(() => {
    socket.write('');
    return socket.destroyed || strict.log.some(({ event }) => event === 'stream-cut');
  }, 'the cut');
  assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024);
  socket.destroy();
  await strict.checkWorks();
});

test('a call whose handler sends more in one turn than may wait for its client is answered, and the dropped messages are logged once', async () => {
  const own = await stage({ sse: true });
  const bytes = 5 * 1024 * 1024;
  const params = { name: 'flood', arguments: { bytes }, _meta: { progressToken: 'p' } };
  const leftOut = () => own.log.filter(({ event }) => event === 'messages-left-out').length;
  const check = (messages: readonly any[], what: string, before: number): void => {
    const steps = messages
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params: { progress } }) => progress);
    assert.ok(steps.length > 10 && steps.length < 500, `${what}: ${steps.length} reports arrived`);
    assert.deepEqual(steps.slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], what);
    assert.equal(messages.at(-1).result?.content[0].text, 'said it all', what);
    assert.equal(leftOut() - before, 1, what);
    assert.ok(own.log.every(({ event }) => event !== 'stream-cut'));
  };
  const level = { 'io.modelcontextprotocol/logLevel': 'info', progressToken: 'p' };
  check((await own.call('flood', { bytes }, {}, level)).messages, 'modern', 0);
  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const) {
    const session = await own.session(revision);
    await session.request('logging/setLevel', { level: 'info' });
    const before = leftOut();
    check((await session.request('tools/call', params)).messages, revision, before);
  }
  const listening = live(own.url.replace(/mcp$/, 'sse'), 'GET', { accept: 'text/event-stream' });
  await until(() => listening.events.length > 0);
  const address = new URL(listening.events[0]!.data, own.url).href;
  const post = (message: object) => send(address, 'POST', JSON_FIELDS, JSON.stringify({ jsonrpc: '2.0', ...message }));
  await send(address, 'POST', JSON_FIELDS, initializeBody('2024-11-05'));
  await post({ method: 'notifications/initialized' });
  await post({ id: 'level', method: 'logging/setLevel', params: { level: 'info' } });
  const before = leftOut();
  await post({ id: 'flood', method: 'tools/call', params });
  await listening.next(({ id }) => id === 'flood');
  check(listening.messages, 'HTTP+SSE', before);
  listening.drop();
});

test('[SUBS-1, SUBS-4, SUBS-5] [A-58] a listen is acknowledged first, delivers only what was asked for, and ends with its result', async () => {
  const own = await stage();
  const listen = (notifications: object, id: unknown) =>
    live(
      own.url,
      'POST',
      fieldsOf('subscriptions/listen'),
      modernBody('subscriptions/listen', { notifications }, {}, id),
    );
  const tools = listen({ toolsListChanged: true, resourceSubscriptions: ['note://a', 'note://none'] }, 'L1');
  const prompts = listen({ promptsListChanged: true }, 2);
  const acknowledged = await tools.next();
  assert.deepEqual(
    [acknowledged.method, acknowledged.params._meta, acknowledged.params.notifications],
    [
      'notifications/subscriptions/acknowledged',
      { 'io.modelcontextprotocol/subscriptionId': 'L1' },
      { toolsListChanged: true, resourceSubscriptions: ['note://a'] },
    ],
  );
  await prompts.next();
  await own.call('change', {}, {}, { progressToken: 1 });
  await own.call('touch', { uri: 'note://a' });
  await own.call('touch', { uri: 'note://b' });
  assert.equal((await tools.next()).method, 'notifications/tools/list_changed');
  assert.equal((await tools.next()).params.uri, 'note://a');
  await own.close();
  const result = await tools.next();
  assert.deepEqual([result.id, result.result._meta['io.modelcontextprotocol/subscriptionId']], ['L1', 'L1']);
  await Promise.all([tools.over, prompts.over]);
  assert.equal(tools.messages.length, 4, '[SSE-40] nothing else came');
  assert.equal(prompts.messages.length, 2);
});

test('[SUBS-6] closed listens leave nothing behind, and their number is limited', async () => {
  const own = await stage({ limits: { subscriptions: 3 }, auth: () => ({ id: 'ann' }) });
  const listen = () =>
    live(
      own.url,
      'POST',
      fieldsOf('subscriptions/listen'),
      modernBody('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
  const three = [listen(), listen(), listen()];
  for (const one of three) await one.next();
  const fourth = listen();
  await fourth.over;
  assert.match(fourth.text(), /Too many subscriptions/);
  for (const one of three) one.drop();
  await until(async () => {
    const one = listen();
    await Promise.race([one.over, one.next().catch(() => {})]);
    const there = one.messages.length > 0;
    one.drop();
    return there;
  });
  const json = await send(
    own.url,
    'POST',
    fieldsOf('subscriptions/listen', undefined, { accept: 'application/json' }),
    modernBody('subscriptions/listen', { notifications: {} }),
  );
  assert.equal(json.status, 406);
});
