// The work and memory that one peer can cause on the other side are limited, and do not affect other peers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { makeApp } from './app.ts';
import { dialog, until } from './dialog.ts';

const form = { type: 'object', properties: { a: { type: 'string' } } };

test('of a thousand concurrent questions of a server, the client answers only a limited number at a time', async () => {
  let running = 0;
  let most = 0;
  const { client, peer } = await connectScripted(
    { ...agreesOn('2025-11-25', { capabilities: { tools: {} } }) },
    {
      limits: { inFlight: 10 },
      elicit: async (_, { signal }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        running--;
        return { action: 'cancel' };
      },
    },
  );
  for (let n = 0; n < 1_000; n++)
    await peer.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: `q${n}`,
        method: 'elicitation/create',
        params: { message: `${n}`, requestedSchema: form },
      }),
    );
  const alive = (await peer.request('ping')) as { result?: unknown };
  assert.deepEqual(alive.result, {});
  assert.ok(most <= 10, `${most} ran`);
  await client.close();
});

test('cancellations of requests that were never made leave nothing behind', async (t) => {
  const it = dialog(t, makeApp(), { unchecked: true });
  await it.handshake('2025-11-25');
  for (let n = 0; n < 20_000; n++)
    it.notify('notifications/cancelled', { requestId: `never-${n}`, reason: 'x'.repeat(100) });
  // An id that was cancelled before it was used is still valid.
  assert.notEqual((await it.request('ping', {}, 'never-19999')).result, undefined);
  assert.notEqual((await it.request('ping', {}, 'never-0')).result, undefined);
});

test('thousands of level changes, subscriptions and unsubscriptions are answered, and keep within the limits', async (t) => {
  const it = dialog(t, makeApp(), { unchecked: true, limits: { subscriptionUris: 5 } });
  await it.handshake('2025-11-25');
  const codes = new Set<unknown>();
  for (let n = 0; n < 50; n++)
    codes.add(
      (await it.request('resources/subscribe', { uri: n % 2 === 0 ? 'test://a' : `test://never/${n}` })).error?.code,
    );
  for (let n = 0; n < 50; n++)
    assert.equal(
      (await it.request('resources/unsubscribe', { uri: `test://never/${n}` })).error?.code ?? 'fine',
      'fine',
    );
  assert.notEqual((await it.request('ping')).result, undefined);
  assert.ok(!codes.has(-32603), [...codes].join());
});

test('a client that has reached its limit does not prevent other clients from being served', async (t) => {
  const app = makeApp();
  const greedy = dialog(t, app, { unchecked: true, limits: { inFlight: 20 } });
  const other = dialog(t, app, { unchecked: true });
  await greedy.handshake('2025-11-25');
  await other.handshake('2025-11-25');
  for (let n = 0; n < 100; n++)
    greedy.send({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: 'slow', arguments: {} } });
  await until(() => greedy.received.filter(({ error }) => error?.code === -32603).length === 80);
  assert.notEqual((await other.request('tools/list')).result, undefined);
});
