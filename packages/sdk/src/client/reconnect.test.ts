// Connections that end at the worst moment, on transports that the test controls message by message.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../protocol/errors.ts';
import type { Notification, Request, Response } from '../protocol/jsonrpc.ts';
import type { Revision } from '../protocol/revision.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { agreesOn } from '../testing/scripted-peer.ts';
import { openClient } from './client.ts';
import type { Dialer } from './dialer.ts';
import { createEraMemory } from './eras.ts';
import type { ClientTransport, Receiver } from './client-transport.ts';

/** Called for each message that a client sends on a transport. */
type Answer = (message: Request | Notification | Response, receiver: Receiver) => void;

/** A transport that delivers each answer at once. */
function transportTo(answer: Answer): ClientTransport & { end(error: Error): void } {
  let receiver!: Receiver;
  return {
    start: (given) => void (receiver = given),
    send: (message) => queueMicrotask(() => answer(message, receiver)),
    cancel() {},
    close() {},
    end: (error) => receiver.end(error),
  };
}

/** A server in a revision that announces changes of its tools. */
function serving(revision: Revision): Answer {
  return (message, receiver) => {
    if (!('method' in message) || !('id' in message)) return;
    const { id, method, params } = message;
    const script = agreesOn(revision, { capabilities: { tools: { listChanged: true } } });
    if (script[method] !== undefined) return receiver.value({ jsonrpc: '2.0', id, result: script[method] }, false);
    if (method === 'server/discover')
      return receiver.value({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }, false);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    const acknowledged = { _meta, notifications: params!['notifications'] };
    const jsonrpc = '2.0';
    receiver.value({ jsonrpc, method: 'notifications/subscriptions/acknowledged', params: acknowledged }, false);
  };
}

const exited = new ConnectionError('disconnected', 'The server process exited');
const forgotten = new ConnectionError('session-lost', 'The server does not know the session any more', {
  status: 404,
  processed: 'no',
});
const http: Dialer['http'] = { opaque: false, status: () => undefined, fallback: () => Promise.reject(exited) };

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  for (const [what, ending, address] of [
    ['to a process', exited, {}],
    ['to an address', exited, { http }],
    ['to an address whose server forgets the session', forgotten, { http }],
  ] as const)
    test(`a watch outlives a connection that ends in the same turn in which it is made, ${what}: ${revision}`, async () => {
      const clock = fakeClock();
      const transports: ReturnType<typeof transportTo>[] = [];
      const answer = serving(revision);
      const last = revision === '2025-11-25' ? 'notifications/initialized' : 'server/discover';
      const short: Answer = (message, receiver) => {
        answer(message, receiver);
        if ('method' in message && message.method === last) receiver.end(ending);
      };
      const dialer: Dialer = {
        open: () => transports[transports.push(transportTo(transports.length === 1 ? short : answer)) - 1]!,
        key: undefined,
        reopens: true,
        restarts: true,
        server: 's',
        partition: '',
        ...address,
      };
      const client = await openClient(dialer, { clock, eras: createEraMemory() });
      const watch = client.watch({ list: 'tools' });
      await watch.ready;
      await clock.advance(60_000);
      transports[0]!.end(exited);
      await clock.advance(60_000);
      assert.equal(transports.length, 3);
      assert.deepEqual((await watch[Symbol.asyncIterator]().next()).value, { list: 'tools', missed: true });
      await client.close();
      assert.equal(clock.timers, 0);
    });
