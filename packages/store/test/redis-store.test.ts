// The store in Redis: the contract, many writers, the clock, and what is in the database.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { inspectStore, migrateStore, openStore, type StoreOptions, sweepStore } from '@tenon/store';
import { roomFor, type Size } from '@tenon/values/room';
import { startRedis } from '../../../scripts/lib/redis-server.ts';
import { rounds } from '../../../scripts/lib/soak.ts';
import { storeContract } from '../../../scripts/lib/store-contract.ts';
import { until } from '../../../scripts/lib/until.ts';
import { writingScript } from '../src/redis/scripts.ts';

const LONG = 1e9;
const redis = await startRedis();
const raw = new Redis(redis.port, '127.0.0.1');
const stores = new Set<{ close(): Promise<void> }>();
after(async () => {
  for (const store of stores) await store.close();
  raw.disconnect();
  await redis.stop();
});

let prefixes = 0;
function newAddress(): string {
  return `${redis.address}?prefix=p${++prefixes}`;
}

/** Opens a store that is closed after the tests. */
async function open(address = newAddress(), options: StoreOptions = {}) {
  const store = await openStore(address, options);
  stores.add(store);
  return store;
}

/** The names of all keys of Redis that belong to a store. */
async function namesOf(address: string): Promise<string[]> {
  const names = await raw.keys(`{${new URL(address).searchParams.get('prefix')}}*`);
  return names.map((name) => name.slice(name.indexOf('}') + 1)).toSorted();
}

storeContract('in Redis', rounds(60, 2_000), async (limits) => {
  const clock = { now: 1_764_000_000_000 };
  return { clock, store: await open(newAddress(), { ...limits, now: () => clock.now }) };
});

/** Runs something 64 times at once, on several connections. */
async function by64<T>(
  address: string,
  act: (store: Awaited<ReturnType<typeof open>>, n: number) => T | PromiseLike<T>,
) {
  const nodes = await Promise.all(Array.from({ length: 8 }, () => open(address)));
  return Promise.all(Array.from({ length: 64 }, async (_, n) => act(nodes[n % 8]!, n)));
}

test('what a store contains is reported without changing it, and what has expired is removed by sweeping', async () => {
  const address = newAddress();
  assert.deepEqual(await inspectStore(address), {
    version: 0,
    known: 1,
    values: 0,
    logs: 0,
    characters: 0,
    expired: 0,
  });
  assert.deepEqual(await namesOf(address), []);
  assert.deepEqual(await migrateStore(address), { before: 0, after: 1 });
  assert.deepEqual(await migrateStore(address), { before: 1, after: 1 });
  const store = await open(address);
  await store.set('kept', 'x', LONG);
  // A clock in the past: for the clock of Redis, all of it has expired.
  const past = await open(address, { now: () => Date.now() - LONG });
  await Promise.all(Array.from({ length: 1_500 }, (_, n) => past.set(`value ${n}`, n, 60_000)));
  await past.append('log', 'x', 60_000);
  const { values, logs, expired } = await inspectStore(address);
  assert.deepEqual([values, logs, expired], [1_501, 1, 1_501]);
  assert.equal(await sweepStore(address), 1_501);
  const kept = { version: 1, known: 1, values: 1, logs: 0, characters: 7, expired: 0 };
  assert.deepEqual(await inspectStore(address), kept);
  assert.equal(await sweepStore(address), 0);
});

test('of 64 writers that replace the same value at once, exactly one succeeds', async () => {
  const address = newAddress();
  const store = await open(address);
  await store.set('value', 'before', LONG);
  for (let round = 0; round < 5; round++) {
    const before = await store.get('value');
    const won = await by64(address, (node, n) => node.swap('value', before, { round, n }, LONG));
    assert.equal(won.filter(Boolean).length, 1);
    assert.deepEqual(await store.get('value'), { round, n: won.indexOf(true) });
  }
});

test('of 64 writers that add the same key at once, exactly one succeeds', async () => {
  const address = newAddress();
  const won = await by64(address, (node, n) => node.add('key', n, LONG));
  assert.equal(won.filter(Boolean).length, 1);
  assert.equal(await (await open(address)).get('key'), won.indexOf(true));
});

test('what 64 writers append to one log at once is there, each at the position that it was told, without a gap', async () => {
  const address = newAddress();
  const told = await by64(address, async (node, n) => {
    const positions: number[] = [];
    for (let at = 0; at < 10; at++) positions.push(await node.append('log', [n, at], LONG));
    return positions;
  });
  const { first, values } = (await (await open(address)).read('log', 0))!;
  assert.deepEqual([first, values.length], [1, 640]);
  for (const [n, positions] of told.entries())
    for (const [at, position] of positions.entries()) assert.deepEqual(values[position - 1], [n, at]);
});

test('nodes whose clocks are ten minutes apart agree on what has expired', async (t) => {
  const address = newAddress();
  const [a, b] = [await open(address), await open(address)];
  const real = Date.now;
  /** Does something with the clock of a node that is ahead or behind. */
  const at = async <T>(ms: number, act: () => T | PromiseLike<T>): Promise<T> => {
    t.mock.method(Date, 'now', () => real() + ms);
    try {
      return await act();
    } finally {
      t.mock.restoreAll();
    }
  };
  await at(-600_000, () => a.set('lease', 'a', 60_000));
  assert.equal(await at(600_000, () => b.get('lease')), 'a');
  assert.equal(await at(600_000, () => b.add('lease', 'b', 60_000)), false);
  await at(600_000, () => b.append('log', 1, 60_000));
  assert.deepEqual(await at(-600_000, () => a.read('log', 0)), { first: 1, values: [1] });
  // A life that ends ends for both.
  await at(600_000, () => b.set('short', 'b', 1));
  await until(async () => (await at(-600_000, () => a.get('short'))) === undefined);
  assert.equal(await at(-600_000, () => a.add('short', 'a', 60_000)), true);
});

test('Redis itself removes what nobody uses any more, an hour after it expired', async () => {
  const address = newAddress();
  const store = await open(address);
  const root = `{${new URL(address).searchParams.get('prefix')}}`;
  await store.set('a', 1, 60_000);
  await store.append('log', 1, 1_000);
  await store.append('log', 2, 60_000);
  for (const name of [':v:a', ':l:log']) {
    const left = await raw.pttl(root + name);
    assert.ok(left > 3_600_000 && left <= 3_660_001, `${name}: ${left}`);
  }
  await store.set('a', 1, Infinity);
  assert.equal(await raw.pttl(`${root}:v:a`), -1);
  const own = newAddress();
  await (await open(own, { now: () => 0 })).set('a', 1, 60_000);
  assert.equal(await raw.pttl(`{${new URL(own).searchParams.get('prefix')}}:v:a`), -1);
});

test('after everything has expired or was deleted, only the totals are left', async () => {
  const address = newAddress();
  const clock = { now: 1 };
  const store = await open(address, { now: () => clock.now });
  for (let n = 0; n < 50; n++) {
    await store.set(`value ${n}`, 'x'.repeat(n), 10);
    await store.add(`added ${n}`, n, 10, `owner ${n % 3}`);
    await store.append(`log ${n % 7}`, n, 10);
  }
  await store.set('value 1', 1, 1_000);
  clock.now += 20;
  for (let n = 0; n < 10; n++) await store.delete('value 1');
  assert.deepEqual(await namesOf(address), [':totals']);
  const { next, ...totals } = await raw.hgetall(`{${new URL(address).searchParams.get('prefix')}}:totals`);
  assert.ok(Number(next) > 100);
  assert.deepEqual(totals, { version: '1', characters: '0', addedEntries: '0', addedCharacters: '0' });
});

test('values of 1 MB are kept as they are', async () => {
  const store = await open();
  const text = 'ä€😀\u0000"'.repeat(200_000);
  await store.set('a', { text }, LONG);
  assert.deepEqual(await store.get('a'), { text });
  assert.equal(await store.swap('a', { text }, { text: `${text}!` }, LONG), true);
  assert.equal(await store.append('log', text, LONG), 1);
  assert.deepEqual(await store.read('log', 0), { first: 1, values: [text] });
});

test('stores with another prefix, and tenants, do not see the values of each other', async () => {
  const [one, other] = [newAddress(), newAddress()];
  const all = await Promise.all([open(one), open(other), open(one, { tenant: 'x' }), open(one, { tenant: 'y' })]);
  for (const [n, store] of all.entries()) {
    assert.equal(await store.add('key', n, LONG), true);
    await store.append('log', n, LONG);
  }
  for (const [n, store] of all.entries()) {
    assert.equal(await store.get('key'), n);
    assert.deepEqual(await store.read('log', 0), { first: 1, values: [n] });
  }
  assert.deepEqual(await all[2]!.keys('', undefined, 5), ['key']);
});

test('a script that Redis no longer knows is sent again', async () => {
  const store = await open();
  assert.equal(await store.append('log', 1, LONG), 1);
  await raw.script('FLUSH');
  assert.equal(await store.append('log', 2, LONG), 2);
});

test('the script decides on room exactly as the rule for all stores does', async () => {
  const script = writingScript(`
    redis.call('HSET', TOTALS, 'addedEntries', ARGV[6], 'addedCharacters', ARGV[7])
    if ARGV[8] ~= '' then redis.call('HSET', OWNERS, 'owner', ARGV[8] .. ' ' .. ARGV[9]) end
    local more = { entries = tonumber(ARGV[2]), characters = tonumber(ARGV[3]) }
    local room = roomFor(more, 'owner', tonumber(ARGV[4]), tonumber(ARGV[5]))
    redis.call('DEL', TOTALS, OWNERS)
    return room
  `);
  const few = fc.integer({ min: 0, max: 30 });
  const size = (number: fc.Arbitrary<number>) => fc.record({ entries: number, characters: number });
  const property = fc.asyncProperty(
    size(fc.integer({ min: -3, max: 5 })),
    size(fc.oneof(few, fc.integer({ min: 1, max: 300 }))),
    size(few),
    fc.option(size(few), { nil: undefined }),
    async (more: Size, most: Size, added: Size, own: Size | undefined) => {
      const sizes = [more, most, added].flatMap(({ entries, characters }) => [entries, characters]);
      const ofOwner = own === undefined ? ['', ''] : [own.entries, own.characters];
      const room = await raw.eval(script.text, 1, '{room}', '0', ...sizes, ...ofOwner);
      assert.equal(room, roomFor(more, { most, added, own }));
    },
  );
  await fc.assert(property, { numRuns: rounds(500, 20_000) });
});
