import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, ProtocolError } from '../protocol/errors.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { ConnectOptions } from '../open/connect.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type Rule, type Script, type ScriptedPeer, scriptedPeer } from '../testing/scripted-peer.ts';
import { memoryPair } from '../transport/memory.ts';
import { channelTransport } from './client-transport.ts';
import { openClient } from './client.ts';
import { createEraMemory } from './eras.ts';

const capabilities = { tools: {} };

for (const [revision, method] of [
  ['2025-11-25', 'ping'],
  ['2026-07-28', 'server/discover'],
] as const) {
  /** A server that answers pings as the rule says. */
  const scripted = (ping: Rule | undefined, options: ConnectOptions & { clock: FakeClock }) => {
    const agreed = agreesOn(revision, { capabilities });
    let pings = 0;
    const script: Script = {
      ...agreed,
      // The first `server/discover` is the probe.
      [method]: (message, peer) => {
        const rule = method === 'ping' || pings++ > 0 ? (ping ?? agreed[method]!) : agreed[method]!;
        return typeof rule === 'function' ? rule(message, peer) : rule;
      },
      'tools/call': () => undefined,
    };
    return connectScripted(script, { revision, ...options });
  };
  const pingsOf = (peer: ScriptedPeer): number => peer.calls(method).length - (method === 'ping' ? 0 : 1);

  test(`[PING-3] the server is pinged when nothing has come from it for the interval: ${revision}`, async () => {
    const clock = fakeClock();
    const { client, peer } = await scripted(undefined, { clock, pingEvery: 30_000 });
    await clock.advance(29_999);
    assert.equal(pingsOf(peer), 0);
    await clock.advance(1);
    assert.equal(pingsOf(peer), 1);
    await clock.advance(60_000);
    assert.equal(pingsOf(peer), 3);
    for (let count = 0; count < 10; count++) {
      await peer.notify('notifications/message', { level: 'info', data: 'alive' });
      await clock.advance(30_000);
    }
    assert.equal(pingsOf(peer), 3);
    await client.close();
    assert.equal(clock.timers, 0);
  });

  test(`[PING-2, PING-4] a ping that is not answered ends the connection, with its calls: ${revision}`, async () => {
    const clock = fakeClock();
    const log: string[] = [];
    const { client } = await scripted(() => undefined, {
      clock,
      pingEvery: 30_000,
      timeout: 10_000,
      log: ({ level, event }) => log.push(`${level} ${event}`),
    });
    const call = assert.rejects(client.call('t', {}, { timeout: 1e6 }), (error) => {
      assert.ok(error instanceof ConnectionError && error.code === 'disconnected', String(error));
      assert.match(error.message, /did not answer a ping for 10000 ms/);
      return true;
    });
    await clock.advance(40_000);
    await call;
    assert.ok((await client.closed) instanceof ConnectionError);
    assert.ok(log.includes('warn ping-failed'));
    assert.equal(clock.timers, 0);
  });

  test(`an error in answer to a ping shows that the server is alive: ${revision}`, async () => {
    const clock = fakeClock();
    const { client, peer } = await scripted(
      () => {
        throw new ProtocolError(-32601, 'no ping here');
      },
      { clock, pingEvery: 1_000 },
    );
    await clock.advance(10_000);
    assert.ok(pingsOf(peer) > 2);
    await client.request('tools/list').catch(() => {});
    await client.close();
  });

  test(`without an interval there are no pings: ${revision}`, async () => {
    const clock = fakeClock();
    const { client, peer } = await scripted(undefined, { clock });
    await clock.advance(3_600_000);
    assert.equal(pingsOf(peer), 0);
    await client.close();
  });
}

test('a server process that does not answer a ping is started again, and pinged again', async () => {
  const clock = fakeClock();
  const peers: ScriptedPeer[] = [];
  const client = await openClient(
    {
      open() {
        const [near, far] = memoryPair();
        const isFirst = peers.length === 0;
        peers.push(
          scriptedPeer(far, {
            ...agreesOn('2025-11-25', { capabilities }),
            ping: isFirst ? () => undefined : {},
            'tools/call': { content: [{ type: 'text', text: 'new' }] },
          }),
        );
        return channelTransport(near, DEFAULT_LIMITS);
      },
      key: undefined,
      reopens: true,
      restarts: true,
      server: 's',
      partition: '',
    },
    { clock, eras: createEraMemory(), pingEvery: 30_000, timeout: 10_000 },
  );
  await clock.advance(40_000);
  await peers[0]!.done;
  assert.equal(await client.call('t'), 'new');
  await clock.advance(60_000);
  assert.ok(peers[1]!.calls('ping').length > 0);
  await client.close();
});

test('an interval of less than a second is refused', async () => {
  for (const pingEvery of [-1, 1, 999, NaN, '5000' as never, null as never])
    await assert.rejects(connectScripted(agreesOn('2025-11-25'), { pingEvery }), TypeError, String(pingEvery));
});
