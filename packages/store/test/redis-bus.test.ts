// The bus on Redis: the contract, and connections that are lost.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { openBus } from '@tenon/store';
import { serverBusContract } from '../../../scripts/lib/bus-contract.ts';
import { startRedis } from '../../../scripts/lib/redis-server.ts';
import { startTcpProxy } from '../../../scripts/lib/tcp-proxy.ts';
import { until } from '../../../scripts/lib/until.ts';

const redis = await startRedis(['--requirepass', 'SECRETPW']);
const buses = new Set<Awaited<ReturnType<typeof openBus>>>();
after(async () => {
  for (const bus of buses) await bus.close();
  await redis.stop();
});

let prefixes = 0;
/** Opens a bus that is closed after the tests. */
async function open({ port = redis.port, prefix = `p${++prefixes}`, busyMs = 60_000 } = {}) {
  const bus = await openBus(`redis://:SECRETPW@127.0.0.1:${port}?prefix=${prefix}`, { busyMs });
  buses.add(bus);
  return bus;
}

serverBusContract('on Redis', async () => {
  const prefix = `p${++prefixes}`;
  const restart = async (): Promise<void> => {
    await redis.kill();
    await redis.start();
  };
  return { a: await open({ prefix }), b: await open({ prefix }), restart };
});

test('messages with another prefix, and of other tenants, do not arrive', async () => {
  const address = `redis://:SECRETPW@127.0.0.1:${redis.port}`;
  const all = await Promise.all([
    openBus(address),
    openBus(`${address}?prefix=other`),
    openBus(address, { tenant: 'x' }),
    openBus(address, { tenant: 'y' }),
  ]);
  const arrived: unknown[][] = all.map(() => []);
  for (const [n, bus] of all.entries()) {
    buses.add(bus);
    await bus.subscribe('topic', (message) => arrived[n]!.push(message));
  }
  for (const [n, bus] of all.entries()) await bus.publish('topic', n);
  await until(() => arrived.every((messages) => messages.length > 0));
  assert.deepEqual(arrived, [[0], [1], [2], [3]]);
});

test('a message waits for Redis for no longer than busyMs, and does not arrive later', async (t) => {
  const proxy = await startTcpProxy(redis.port);
  const prefix = 'waiting';
  const listening = await open({ prefix });
  const bus = await open({ prefix, port: proxy.port, busyMs: 300 });
  const arrived: unknown[] = [];
  await listening.subscribe('topic', (message) => arrived.push(message));
  await proxy.close();
  for (const act of [() => bus.publish('topic', 'late'), () => bus.subscribe('topic', () => {})])
    await assert.rejects(
      async () => act(),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'unavailable');
        assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /SECRETPW/);
        return true;
      },
    );
  const again = await startTcpProxy(redis.port, proxy.port);
  t.after(() => again.close());
  await bus.publish('topic', 'after');
  await until(() => arrived.length > 0);
  assert.deepEqual(arrived, ['after']);
});

test('a message is sent once, even if it is not known whether it arrived', async (t) => {
  const proxy = await startTcpProxy(redis.port);
  t.after(() => proxy.close());
  const prefix = 'once';
  const listening = await open({ prefix });
  const bus = await open({ prefix, port: proxy.port });
  const arrived: unknown[] = [];
  await listening.subscribe('topic', (message) => arrived.push(message));
  proxy.loseAnswer();
  await assert.rejects(async () => bus.publish('topic', 1), { code: 'unavailable' });
  await bus.publish('topic', 2);
  await until(() => arrived.includes(2));
  assert.deepEqual(arrived, [1, 2]);
});

test('a connection that is silent is replaced, so that messages arrive again', async (t) => {
  const proxy = await startTcpProxy(redis.port);
  t.after(() => proxy.close());
  const prefix = 'silent';
  const listening = await open({ prefix, port: proxy.port, busyMs: 500 });
  const bus = await open({ prefix });
  t.mock.timers.enable({ apis: ['setInterval'] });
  const arrived: unknown[] = [];
  await listening.subscribe('topic', (message) => arrived.push(message));
  proxy.silence();
  await bus.publish('topic', 1);
  t.mock.timers.tick(5_000);
  await until(async () => {
    await bus.publish('topic', 2);
    return arrived.length > 0;
  });
  assert.equal(arrived[0], 2);
});
