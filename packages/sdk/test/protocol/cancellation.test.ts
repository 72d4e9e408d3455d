import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import { prompt, resource, revisions, server, tool } from '../../src/entries/index.ts';
import { makeApp, type Seen } from './app.ts';
import { claimed, dialog, KEY, MODERN, startConversation, until } from './dialog.ts';

function newSeen(): Seen {
  return { ran: [], aborted: [] };
}
/** Waits until the handlers have begun `count` runs. */
function begun(seen: Seen, count = 1) {
  return until(() => seen.ran.length >= count);
}

for (const revision of revisions) {
  test(`[CANC-5] [CANC-17] [CANC-10] [STDIO-12] a cancelled request is stopped, gets no response, and the reason is logged on ${revision}`, async (t) => {
    const seen = newSeen();
    const it = dialog(t, makeApp(seen));
    const peer = await startConversation(it, revision);
    peer.start('call', 'tools/call', { name: 'slow' });
    await begun(seen);
    it.notify('notifications/cancelled', { requestId: 'call', reason: 'the user left\nfor good' });
    assert.deepEqual(await it.remaining(), []);
    assert.deepEqual(seen.aborted, ['the user left\nfor good']);
    const entry = it.log.find(({ event }) => event === 'cancelled');
    assert.match(entry!.message, /call: the user left\\u000afor good/, 'in one line');
    await peer.alive();
    assert.ok(
      (await peer.ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, 'call')).result,
      'the id is free again',
    );
  });

  test(`[STDIO-13] nothing more is sent for a cancelled request, whatever its handler does, on ${revision}`, async (t) => {
    let go = (): void => {};
    const stopped = new Promise<void>((resolve) => (go = resolve));
    let done = false;
    const app = server({
      name: 'stubborn',
      tools: {
        stubborn: tool({}, async (_, ctx) => {
          await ctx.progress({ progress: 1 });
          await stopped;
          await ctx.progress({ progress: 2 });
          await ctx.log('error', 'still here');
          done = true;
          return 'an answer that is not sent';
        }),
      },
    });
    const it = dialog(t, app);
    const peer = await startConversation(it, revision);
    peer.start('call', 'tools/call', {
      name: 'stubborn',
      _meta: { progressToken: 'p', ...(peer.modern ? { [KEY.level]: 'debug' } : {}) },
    });
    assert.equal((await it.next()).method, 'notifications/progress');
    it.notify('notifications/cancelled', { requestId: 'call' });
    await peer.alive();
    go();
    await until(() => done);
    assert.deepEqual(await it.remaining(), []);
  });

  test(`[CANC-6] [CANC-8] [CANC-9] cancellations of unknown, completed or invalid ids are ignored on ${revision}`, async (t) => {
    const seen = newSeen();
    const it = dialog(t, makeApp(seen));
    const peer = await startConversation(it, revision);
    assert.ok((await peer.ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, 1)).result);
    peer.start(2, 'tools/call', { name: 'slow' });
    await begun(seen, 2);
    for (const params of [
      { requestId: 1 },
      { requestId: '2' },
      { requestId: 99 },
      { requestId: null },
      { requestId: { toString: 'x' } },
      { requestId: [2] },
      { requestId: '__proto__' },
      { reason: 'why not' },
      {},
      undefined,
    ]) {
      it.notify('notifications/cancelled', params);
    }
    await peer.alive();
    assert.deepEqual(seen.aborted, []);
    it.notify('notifications/cancelled', { requestId: 2, reason: { not: 'a text' } });
    await until(() => seen.aborted.length === 1);
    it.notify('notifications/cancelled', { requestId: 2 });
    await peer.alive();
    assert.deepEqual(await it.remaining(), []);
  });

  test(`a call that is cancelled while its arguments are checked never begins on ${revision}`, async (t) => {
    const ran: string[] = [];
    let checked = 0;
    let goOn!: () => void;
    const cancelled = new Promise<void>((resolve) => (goOn = resolve));
    const slowSchema = {
      '~standard': {
        version: 1,
        vendor: 'slow',
        validate: async (value: unknown) => {
          await cancelled;
          checked++;
          return { value };
        },
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
      },
    } as const;
    const app = server({
      name: 'late',
      tools: { act: tool({ input: slowSchema as never }, () => (ran.push('tool'), 'acted')) },
      prompts: { act: prompt({ input: slowSchema as never }, () => (ran.push('prompt'), 'acted')) },
    });
    const it = dialog(t, app);
    const peer = await startConversation(it, revision);
    peer.start(1, 'tools/call', { name: 'act', arguments: {} });
    peer.start(2, 'prompts/get', { name: 'act', arguments: {} });
    for (const requestId of [1, 2]) it.notify('notifications/cancelled', { requestId });
    await turns();
    goOn();
    await until(() => checked === 2);
    await turns();
    assert.deepEqual(ran, []);
    assert.deepEqual(await it.remaining(), []);
  });

  test(`an error that a handler throws because it was cancelled is not reported to the operator on ${revision}`, async (t) => {
    let runs = 0;
    const obedient = async (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<string> => {
      runs++;
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      return '';
    };
    const app = server({
      name: 'obedient',
      tools: { wait: tool({}, obedient) },
      prompts: { wait: prompt({}, obedient) },
      resources: { 'wait://': resource({ name: 'wait' }, obedient) },
    });
    const it = dialog(t, app);
    const peer = await startConversation(it, revision);
    peer.start(1, 'tools/call', { name: 'wait' });
    peer.start(2, 'prompts/get', { name: 'wait' });
    peer.start(3, 'resources/read', { uri: 'wait://' });
    await until(() => runs === 3);
    for (const requestId of [1, 2, 3]) it.notify('notifications/cancelled', { requestId });
    await it.remaining();
    assert.deepEqual(
      it.log.filter(({ level }) => level === 'error'),
      [],
    );
    assert.equal(it.log.filter(({ event }) => event === 'handler-stopped').length, 3);
  });

  test(`[PROG-7] [PROG-6] once a request is answered, no progress of it is sent on ${revision}`, async (t) => {
    let later: Promise<void> | undefined;
    const app = server({
      name: 'chatty',
      tools: {
        chatty: tool({}, async (_, ctx) => {
          await ctx.progress({ progress: 1 });
          later = (async () => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            await ctx.progress({ progress: 2 });
            await ctx.log('error', 'afterwards');
          })();
          return 'done';
        }),
      },
    });
    const it = dialog(t, app);
    const peer = await startConversation(it, revision);
    assert.ok(
      (
        await peer.ask('tools/call', {
          name: 'chatty',
          _meta: { progressToken: 7, ...(peer.modern ? { [KEY.level]: 'debug' } : {}) },
        })
      ).result,
    );
    await later;
    assert.deepEqual(
      (await it.remaining()).map(({ method, params }) => [method, params?.['progress']]),
      [['notifications/progress', 1]],
    );
  });
}

test('[CANC-5] a question that is open when its call is cancelled is cancelled, too, and its late response ignored', async (t) => {
  const seen = newSeen();
  const it = dialog(t, makeApp(seen));
  await it.handshake('2025-11-25', { elicitation: {} });
  it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'ask' } });
  const question = await it.next();
  it.notify('notifications/cancelled', { requestId: 'call', reason: 'enough' });
  const cancelled = await it.next();
  assert.deepEqual(
    [cancelled.method, cancelled.params?.['requestId'], cancelled.params?.['reason']],
    ['notifications/cancelled', question.id, 'enough'],
  );
  it.send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { color: 'late' } } });
  assert.deepEqual((await it.request('ping')).result, {});
  assert.deepEqual(await it.remaining(), []);
  assert.deepEqual(seen.ran, ['ask', 'asked'], 'the handler ended');
});

test('[CANC-5] a call that waits for a client that is not ready yet can be cancelled', async (t) => {
  const seen = newSeen();
  const it = dialog(t, makeApp(seen), { limits: { inFlight: 1 } });
  await it.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'x', version: '1' },
  });
  it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'ask' } });
  await begun(seen);
  it.notify('notifications/cancelled', { requestId: 'call' });
  await until(() => seen.ran.includes('asked'));
  assert.ok((await it.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })).result, 'its place is free');
  it.notify('notifications/initialized');
  assert.deepEqual(await it.remaining(), [], 'and the question is never sent');
});

test('[SUBS-12] [CANC-6] a subscription that its client ends gets no response', async (t) => {
  const app = makeApp();
  const it = dialog(t, app);
  it.send({
    jsonrpc: '2.0',
    id: 's',
    method: 'subscriptions/listen',
    params: claimed({ notifications: { toolsListChanged: true } }),
  });
  await it.next();
  it.notify('notifications/cancelled', { requestId: 's' });
  await it.request('server/discover', claimed());
  app.tools.set(
    'new',
    tool({}, () => 'new'),
  );
  assert.deepEqual(await it.remaining(), []);
});

test('[CANC-15] [CANC-16] [SUBS-9] a server ends its subscriptions by responding, and cancels nothing', async (t) => {
  const it = dialog(t, makeApp());
  for (const id of ['a', 1]) {
    it.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: claimed({ notifications: { toolsListChanged: true } }),
    });
    await it.next();
  }
  it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: claimed({ name: 'slow' }) });
  await it.request('server/discover', claimed());
  await it.served.close();
  const last = await it.remaining();
  assert.deepEqual(
    last.map(({ id, result }) => [
      id,
      result?.['resultType'],
      result?.['_meta'][KEY.subscription],
      result?.['_meta'][KEY.server]?.name,
    ]),
    [
      ['a', 'complete', 'a', 'protocol'],
      [1, 'complete', 1, 'protocol'],
    ],
  );
  assert.deepEqual(
    it.received.filter(({ method }) => method === 'notifications/cancelled'),
    [],
  );
});

test('[PING-5] [VERS-34] a claim makes ping, initialize and the other requests of the legacy era unknown methods', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake('2025-11-25');
  for (const [method, params] of [
    ['ping', {}],
    ['initialize', { protocolVersion: MODERN, capabilities: {} }],
    ['logging/setLevel', { level: 'info' }],
    ['resources/subscribe', { uri: 'test://a' }],
    ['resources/unsubscribe', { uri: 'test://a' }],
  ] as const) {
    assert.equal((await it.request(method, claimed(params))).error?.code, -32601, method);
  }
});
