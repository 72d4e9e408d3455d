import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { agreesOn, connectScripted, memoryPair, scriptedPeer } from '../../src/entries/testing.ts';
import { cells, endsByItself, everywhere, legacy, type Message } from './cells.ts';
import { everywhereRaw, type Raw } from './raw.ts';
import { until } from '../../../../scripts/lib/until.ts';

function cancel(raw: Raw, requestId: unknown, reason?: string): void {
  raw.notify('notifications/cancelled', { requestId, reason });
}

function answers(raw: Raw, id: string | number): readonly Message[] {
  return raw.received.filter((message) => message.id === id && message.method === undefined);
}

async function aborted(signal: AbortSignal, call: Promise<unknown>): Promise<void> {
  return assert.rejects(call, (error: Error) => error.name === 'AbortError' && signal.aborted);
}

everywhere(
  '[CANC-3, CANC-12, CANC-13] aborting a call rejects it and cancels it on the wire, once, with its own id',
  async ({ cell, client, wire }) => {
    const controller = new AbortController();
    const call = client.call('slow', {}, { signal: controller.signal });
    await client.ping();
    controller.abort('changed my mind');
    await aborted(controller.signal, call);
    await client.ping();
    const { message: request } = wire.find(({ message }) => message.method === 'tools/call')!;
    const cancels = wire.filter(({ message }) => message.method === 'notifications/cancelled');
    assert.deepEqual(
      cancels.map(({ from, message }) => [from, message.params]),
      // If a request has its own connection, closing it cancels the request ("Cancellation" of Streamable HTTP).
      endsByItself(cell) ? [] : [['client', { requestId: request.id, reason: 'changed my mind' }]],
    );
  },
);

everywhere(
  "[CANC-14] a call over HTTP is cancelled by closing its connection: the handler's signal is aborted",
  async ({ client }) => {
    const count = async () => (await client.call('counted', { name: 'slow-aborted' })).count;
    const before = await count();
    const controller = new AbortController();
    const call = client.call('slow', {}, { signal: controller.signal });
    await client.ping();
    controller.abort();
    await aborted(controller.signal, call);
    await until(async () => (await count()) !== before);
    assert.equal(await count(), before + 1);
  },
  { only: endsByItself },
);

everywhere('a call that is aborted before it begins is not sent', async ({ client, wire }) => {
  const signal = AbortSignal.abort();
  await aborted(signal, client.call('slow', {}, { signal }));
  assert.deepEqual(wire, []);
});

everywhereRaw(
  '[CANC-5, CANC-17] the handler of a cancelled call is stopped, and nothing more is sent for it',
  async (raw) => {
    for (const [name, counter] of [
      ['slow', 'slow-aborted'],
      ['stubborn', 'stubborn'],
    ] as const) {
      const id = raw.ask('tools/call', { name }, { meta: { progressToken: name } });
      await raw.settled();
      cancel(raw, id, 'enough');
      await raw.counted(counter, 1);
      await raw.settled();
      assert.deepEqual(answers(raw, id), []);
    }
    assert.deepEqual(
      raw.received.filter(({ method }) => method !== undefined),
      [],
      'neither progress nor log messages',
    );
  },
  { alone: true },
);

everywhereRaw(
  '[CANC-10] the reason of a cancellation is logged for the operator',
  async (raw) => {
    const id = raw.ask('tools/call', { name: 'slow' });
    await raw.settled();
    cancel(raw, id, 'too late\u001b[31m');
    await raw.counted('slow-aborted', 1);
    await raw.settled();
    assert.match(raw.log.join('\n'), /cancelled.*: too late\\u001b\[31m/);
  },
  { alone: true },
);

everywhereRaw(
  '[CANC-9] a cancellation without a matching request, or a malformed one, is ignored',
  async (raw) => {
    const id = raw.ask('tools/call', { name: 'slow' }, { id: '17' });
    await raw.settled();
    for (const requestId of [undefined, null, 17, '0', '', -1, 1.5, {}, [], ['17'], true, '__proto__'])
      cancel(raw, requestId);
    raw.notify('notifications/cancelled');
    raw.notify('notifications/cancelled', {});
    raw.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":["17"]}');
    await raw.settled();
    const { result } = await raw.request('tools/call', { name: 'counted', arguments: { name: 'slow-aborted' } });
    assert.equal(result?.['content'][0].text, '{"count":0}', 'the running call continues');
    cancel(raw, id);
    await raw.counted('slow-aborted', 1);
  },
  { alone: true, hostile: true },
);

everywhereRaw(
  '[CANC-8] a cancellation that comes with its request, after its response or twice does no harm',
  async (raw) => {
    const early = raw.ask('tools/call', { name: 'slow' });
    cancel(raw, early);
    cancel(raw, early);
    const quick = raw.ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    cancel(raw, quick);
    const { id } = await raw.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    cancel(raw, id);
    await raw.settled();
    assert.deepEqual(answers(raw, early), []);
    assert.ok(answers(raw, quick).length <= 1);
    assert.equal(answers(raw, id!).length, 1);
    const again = () => raw.request('tools/call', { name: 'add', arguments: { a: 2, b: 3 } }, { id: early });
    await until(async () => (await again()).result !== undefined, 'its id is free again');
  },
  { hostile: true },
);

everywhereRaw(
  'many calls that are cancelled in any order end, and the others are answered',
  async (raw) => {
    const slow = Array.from({ length: 50 }, () => raw.ask('tools/call', { name: 'slow' }));
    const quick = Array.from({ length: 50 }, (_, a) => raw.ask('tools/call', { name: 'add', arguments: { a, b: 0 } }));
    for (const [at, id] of slow.entries()) if (at % 3 !== 0) cancel(raw, id);
    for (const id of slow.toReversed()) cancel(raw, id);
    for (const [at, id] of quick.entries())
      assert.match(JSON.stringify((await raw.answerTo(id)).result), new RegExp(`\\{\\\\"sum\\\\":${at}\\}`));
    await raw.counted('slow-aborted', 50);
    await raw.settled();
    assert.equal(
      slow.some((id) => answers(raw, id).length > 0),
      false,
    );
  },
  { alone: true },
);

const ROOTS = { roots: {} };

everywhereRaw(
  '[CANC-1] cancelling a call cancels its questions, and nothing else',
  async (raw) => {
    const [one, other] = [raw.ask('tools/call', { name: 'roots' }), raw.ask('tools/call', { name: 'roots' })];
    const [first, second] = [await raw.nextOf('roots/list'), await raw.nextOf('roots/list')];
    cancel(raw, first.id, 'not a request of the client');
    await raw.settled();
    assert.equal(
      raw.received.some(({ method }) => method === 'notifications/cancelled'),
      false,
    );
    cancel(raw, one, 'enough');
    const { params } = await raw.nextOf('notifications/cancelled');
    assert.equal(params?.['requestId'], first.id);
    raw.send({ jsonrpc: '2.0', id: first.id, result: { roots: [] } });
    raw.send({ jsonrpc: '2.0', id: second.id, result: { roots: [{ uri: 'file:///a' }] } });
    assert.equal((await raw.answerTo(other)).result?.['content'][0].text, 'file:///a');
    await raw.settled();
    assert.deepEqual(answers(raw, one), []);
  },
  { capabilities: ROOTS, only: legacy, hostile: true },
);

for (const cell of cells.filter(({ transport }) => transport === 'memory')) {
  test(`[CANC-7] a response that comes after the cancellation is ignored ${cell.where}`, async () => {
    const events: string[] = [];
    const slow = { 'tools/call': () => undefined };
    const { client, peer } = await connectScripted(
      { ...agreesOn(cell.revision, { capabilities: { tools: {} } }), ...slow },
      { revision: cell.revision, log: ({ event }) => void events.push(event) },
    );
    const controller = new AbortController();
    const call = client.request('tools/call', { name: 'slow' }, { signal: controller.signal });
    const { id } = await peer.next('tools/call');
    controller.abort();
    await aborted(controller.signal, call);
    await peer.next('notifications/cancelled');
    await peer.respond(id, { content: [], resultType: 'complete' });
    await peer.fail(id, -32603, 'and again');
    await client.ping();
    await until(() => events.length === 2);
    assert.deepEqual(events, ['late-reply', 'late-reply']);
    await client.close();
  });

  if (!legacy(cell)) continue;

  test(`[CANC-2, LIFE-8] initialize is never cancelled, whether it is aborted or takes too long ${cell.where}`, async () => {
    for (const how of ['abort', 'timeout']) {
      const [near, far] = memoryPair();
      const peer = scriptedPeer(far, { initialize: () => undefined, '*': () => undefined });
      const controller = new AbortController();
      const connecting = connect(near, {
        revision: cell.revision,
        signal: controller.signal,
        timeout: how === 'timeout' ? 30 : undefined,
      });
      connecting.catch(() => {});
      await peer.next('initialize');
      if (how === 'abort') controller.abort();
      await assert.rejects(
        connecting,
        how === 'abort' ? { name: 'AbortError' } : { name: /TimeoutError|ConnectionError/ },
      );
      await peer.done;
      assert.deepEqual(
        peer.received.map(({ method }) => method),
        ['initialize'],
      );
    }
  });
}
