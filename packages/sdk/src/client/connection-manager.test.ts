import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../protocol/channel.ts';
import { ConnectionError, TimeoutError } from '../protocol/errors.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Revision } from '../protocol/revision.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type Script, type ScriptedPeer, scriptedPeer } from '../testing/scripted-peer.ts';
import { memoryPair } from '../transport/memory.ts';
import { backOff } from './back-off.ts';
import { openClient } from './client.ts';
import { createEraMemory } from './eras.ts';
import { channelTransport } from './client-transport.ts';
import type { ClientOptions } from './options.ts';
import type { Change, Client } from './types.ts';

const exit = Object.assign(new Error('The server process exited with code 3.'), {
  name: 'ProcessExitError',
  exitCode: 3,
});

/** A channel that can crash: reading throws. */
function crashing(channel: Channel): Channel & { crash(error: Error): void } {
  let crash!: (error: Error) => void;
  const crashed = new Promise<never>((_, reject) => (crash = reject));
  crashed.catch(() => {});
  const incoming = async function* (): AsyncGenerator<string, void, undefined> {
    const items = channel.incoming[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await Promise.race([items.next(), crashed]);
      if (done === true) return;
      yield value as string;
    }
  };
  return { send: channel.send, incoming: { [Symbol.asyncIterator]: incoming }, close: channel.close, crash };
}

interface Bench {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly peers: ScriptedPeer[];
  readonly log: string[];
  crash(): Promise<void>;
}

async function bench(script: (attempt: number) => Script, options: ClientOptions = {}): Promise<Bench> {
  const clock = fakeClock();
  const peers: ScriptedPeer[] = [];
  const channels: ReturnType<typeof crashing>[] = [];
  const log: string[] = [];
  const client = await openClient(
    {
      open() {
        const [near, far] = memoryPair();
        peers.push(scriptedPeer(far, script(peers.length)));
        channels.push(crashing(near));
        return channelTransport(channels.at(-1)!, DEFAULT_LIMITS);
      },
      key: undefined,
      reopens: true,
      restarts: true,
      server: 's',
      partition: '',
    },
    { clock, eras: createEraMemory(), log: ({ event }) => log.push(event), ...options },
  );
  const crash = async (): Promise<void> => {
    channels.at(-1)!.crash(exit);
    await clock.advance(0);
  };
  return { client, clock, peers, log, crash };
}

const capabilities = { tools: {}, resources: { subscribe: true } };
const text = { content: [{ type: 'text', text: 'ok' }] };

for (const revision of ['2025-11-25', '2026-07-28'] as Revision[]) {
  const server = (): Script => ({
    ...agreesOn(revision, { capabilities }),
    'tools/call': ({ params }) => (params!['name'] === 'hang' ? undefined : text),
    'resources/subscribe': {},
    'subscriptions/listen': ({ id, params }, peer) =>
      peer.notify('notifications/subscriptions/acknowledged', {
        notifications: params!['notifications'],
        _meta: { 'io.modelcontextprotocol/subscriptionId': id },
      }),
  });

  test(`[F-01] [STDIO-20] a crash rejects pending calls, with the exit of the process as cause: ${revision}`, async () => {
    const { client, crash } = await bench(server);
    const waiting = Promise.allSettled([client.call('hang'), client.call('hang')]);
    await crash();
    for (const one of await waiting) {
      assert.ok(one.status === 'rejected' && one.reason instanceof ConnectionError);
      assert.ok(one.reason.cause === exit && /code 3/.test(one.reason.message));
    }
    await client.close();
  });

  test(`[STDIO-19] a server that had run for a while is started again at once, when it is needed: ${revision}`, async () => {
    const { client, clock, peers, crash } = await bench(server);
    await clock.advance(60_000);
    await crash();
    assert.equal(peers.length, 1);
    assert.equal(await client.call('t'), 'ok');
    assert.equal(peers.length, 2);
    assert.equal(client.revision, revision);
    await client.close();
    assert.equal(await client.closed, undefined);
  });

  test(`[F-02] [STDIO-20] [SUBS-11] [SUBS-10] watches continue after a restart, and report that changes may have been missed: ${revision}`, async () => {
    const { client, clock, peers, crash } = await bench(server);
    const watch = client.watch({ uri: 'u:1' });
    await watch.ready;
    await clock.advance(60_000);
    await crash();
    assert.equal(peers.length, 2);
    const iterator = watch[Symbol.asyncIterator]();
    assert.deepEqual((await iterator.next()).value satisfies Change | undefined, { uri: 'u:1', missed: true });
    await client.close();
  });

  test(`[F-12] a server that ends quickly is started again after 1, 2, 4 … s, and no longer after five failures: ${revision}`, async () => {
    const { client, clock, peers, log, crash } = await bench(server);
    client.watch({ uri: 'u:1' });
    const starts = [0];
    for (let n = 1; n < 5; n++) {
      await crash();
      const begun = clock.now();
      assert.equal(peers.length, n);
      await clock.advance(2 ** (n - 1) * 1_000);
      assert.equal(peers.length, n + 1, `no start after ${clock.now() - begun} ms`);
      starts.push(clock.now());
    }
    await crash();
    await clock.advance(600_000);
    assert.equal(peers.length, 5);
    const gone = await client.closed;
    assert.ok(gone instanceof ConnectionError && /5 times in a row/.test(gone.message) && gone.cause === exit);
    assert.ok(log.includes('given-up'));
    await assert.rejects(client.call('t'), /5 times in a row/);
    await client.close();
  });
}

test('a call waits for the next start, up to its timeout', async () => {
  const { client, clock, peers, crash } = await bench(() => ({
    ...agreesOn('2026-07-28', { capabilities }),
    'tools/call': text,
  }));
  await crash();
  const controller = new AbortController();
  const [patient, hasty, aborted] = [
    client.call('t'),
    client.call('t', {}, { timeout: 100 }),
    client.call('t', {}, { signal: controller.signal }),
  ];
  const settled = Promise.allSettled([patient, hasty, aborted]);
  await clock.advance(100);
  controller.abort();
  assert.equal(peers.length, 1);
  await clock.advance(1_000);
  const [first, second, third] = await settled;
  assert.equal(first.status === 'fulfilled' && first.value, 'ok');
  assert.ok(second.status === 'rejected' && second.reason instanceof TimeoutError);
  assert.ok(third.status === 'rejected' && (third.reason as Error).name === 'AbortError');
  await client.close();
});

test('closing while a restart is due cancels it and rejects pending calls', async () => {
  const { client, clock, peers, crash } = await bench(() => ({ ...agreesOn('2026-07-28', { capabilities }) }));
  await crash();
  const waiting = client.call('t');
  await clock.advance(10);
  await client.close();
  await client.close();
  await assert.rejects(waiting, ConnectionError);
  await clock.advance(100_000);
  assert.equal(peers.length, 1);
  assert.equal(clock.timers, 0);
});

test('reconnecting to a remote server is tried for as long as something is watched, after pauses of at most a minute, until the client is closed', async () => {
  const clock = fakeClock();
  const attempts: number[] = [];
  const away = new ConnectionError('disconnected', 'away');
  let first: ReturnType<typeof crashing> | undefined;
  const client = await openClient(
    {
      open() {
        if (first !== undefined) {
          attempts.push(clock.now());
          throw away;
        }
        const [near, far] = memoryPair();
        scriptedPeer(far, { ...agreesOn('2025-11-25', { capabilities }), 'resources/subscribe': {} });
        first = crashing(near);
        return channelTransport(first, DEFAULT_LIMITS);
      },
      key: undefined,
      reopens: true,
      restarts: true,
      server: 's',
      partition: '',
      http: { opaque: false, status: () => undefined, fallback: () => Promise.reject(away) },
    },
    { clock, eras: createEraMemory() },
  );
  const watch = client.watch({ uri: 'u:1' });
  await watch.ready;
  first!.crash(exit);
  await clock.advance(30 * 60_000);
  const pauses = attempts.slice(1).map((at, index) => at - attempts[index]!);
  assert.ok(pauses.length > 20, String(pauses.length));
  assert.ok(
    pauses.every((ms, index) => ms >= Math.min(750 * 2 ** index, 45_000) && ms <= 60_000),
    String(pauses),
  );
  // A call does not wait for the next attempt.
  const before = attempts.length;
  await assert.rejects(client.call('t'), away);
  assert.equal(attempts.length, before + 1);
  await client.close();
  assert.equal(clock.timers, 0);
  assert.equal(await client.closed, undefined);
});

test('a server that comes back with another revision is used in that revision', async () => {
  const { client, clock, crash } = await bench((attempt) => ({
    ...agreesOn(attempt === 0 ? '2026-07-28' : '2025-06-18', { capabilities }),
    'tools/call': text,
  }));
  await clock.advance(60_000);
  await crash();
  assert.equal(await client.call('t'), 'ok');
  assert.equal(client.revision, '2025-06-18');
  assert.equal(client.era, 'legacy');
  await client.close();
});

test('cached results are not used after a restart', async () => {
  const { client, clock, crash } = await bench((attempt) => ({
    ...agreesOn('2026-07-28', { capabilities }),
    'resources/read': { contents: [{ uri: 'u', text: `${attempt}` }], ttlMs: 3_600_000, cacheScope: 'public' },
  }));
  const read = async () => (await client.read('u')).contents[0]!.text;
  assert.equal(await read(), '0');
  await clock.advance(60_000);
  await crash();
  await client.ping();
  assert.equal(await read(), '1');
  await client.close();
});

test('[PAGE-7] [CACHE-17] listing that a restart interrupts starts over, without cursors of the previous session', async () => {
  for (const revision of ['2025-11-25', '2026-07-28'] as Revision[]) {
    const { client, clock, peers, crash } = await bench((attempt) => ({
      ...agreesOn(revision, { capabilities }),
      'tools/list': ({ params }) =>
        params?.['cursor'] === undefined
          ? { tools: [{ name: 'a', inputSchema: {} }], nextCursor: `s${attempt}`, ttlMs: 60_000, cacheScope: 'private' }
          : { tools: [{ name: 'b', inputSchema: {} }] },
    }));
    const found: string[] = [];
    await clock.advance(60_000);
    for await (const { name } of client.tools()) {
      if (found.push(name) === 1) await crash();
    }
    assert.deepEqual(found, ['a', 'b']);
    assert.deepEqual(
      peers[1]!.calls('tools/list').map(({ params }) => params?.['cursor']),
      [undefined, 's1'],
    );
    await client.close();
  }
});

test('the pause between starts grows to a minute, with some jitter', () => {
  assert.equal(backOff(0), 0);
  assert.deepEqual(
    [1, 2, 3, 7, 8, 1_000].map((failures) => backOff(failures, () => 0)),
    [1_000, 2_000, 4_000, 60_000, 60_000, 60_000],
  );
  assert.ok(backOff(1, () => 0.999) >= 750);
});
