// Redis that is killed, cut off, full, or set up in a way that a store cannot use.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { openStore, type StoreOptions } from '@tenon/store';
import { startRedis } from '../../../scripts/lib/redis-server.ts';
import { startTcpProxy } from '../../../scripts/lib/tcp-proxy.ts';
import { until } from '../../../scripts/lib/until.ts';

const LONG = 1e9;
const PASSWORD = 'SECRETPW';
const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always', '--requirepass', PASSWORD]);
after(() => redis.stop());

let prefixes = 0;
function addressAt(port = redis.port, login = `:${PASSWORD}`): string {
  return `redis://${login}@127.0.0.1:${port}?prefix=p${++prefixes}`;
}

function open(address = addressAt(), options: StoreOptions = {}) {
  return openStore(address, { busyMs: 60_000, ...options });
}

/** Sends commands as an administrator. */
async function administer(...commands: readonly (readonly string[])[]): Promise<unknown[]> {
  const raw = new Redis({ port: redis.port, host: '127.0.0.1', password: PASSWORD });
  try {
    const answers: unknown[] = [];
    for (const [name = '', ...args] of commands) answers.push(await raw.call(name, ...args));
    return answers;
  } finally {
    raw.disconnect();
  }
}

/** The error of something that fails, which must not contain the password anywhere. */
async function failureOf(act: () => unknown): Promise<Error & { readonly code?: string }> {
  let result: unknown;
  try {
    result = await act();
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /SECRETPW/);
    return error;
  }
  return assert.fail(`It returned ${inspect(result)}`);
}

test('what was acknowledged before Redis was killed is there after it starts again, in order and once', async () => {
  const store = await open();
  const told = new Map<number, number>();
  let lost = 0;
  let next = 0;
  const state = { isOver: false };
  const writers = Array.from({ length: 64 }, async () => {
    while (!state.isOver) {
      const n = next++;
      try {
        const [position] = await Promise.all([store.append('log', n, LONG), store.add(`added ${n}`, n, LONG)]);
        told.set(n, position);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'unavailable', String(error));
        lost++;
      }
    }
  });
  for (const count of [200, 600]) {
    await until(() => told.size > count);
    await redis.kill();
    await redis.start();
  }
  await until(() => told.size > 1_000);
  state.isOver = true;
  await Promise.all(writers);
  assert.ok(lost > 0, 'some answers were lost');
  const { first, values } = (await store.read('log', 0))!;
  assert.equal(first, 1);
  assert.equal(new Set(values).size, values.length, 'nothing was appended twice');
  for (const [n, position] of told) {
    assert.equal(values[position - 1], n);
    assert.equal(await store.get(`added ${n}`), n);
  }
  await store.close();
});

test('while Redis is away, operations wait, and run in their order when it is back', async () => {
  const store = await open();
  await store.set('a', 0, LONG);
  await redis.kill();
  const waiting = [store.append('log', 'a', LONG), store.append('log', 'b', LONG), store.swap('a', 0, 1, LONG)];
  const more = [store.read('log', 0), store.get('a')];
  await redis.start();
  assert.deepEqual(await Promise.all(waiting), [1, 2, true]);
  assert.deepEqual(await Promise.all(more), [{ first: 1, values: ['a', 'b'] }, 1]);
  await store.close();
});

test('an operation waits for Redis for no longer than busyMs, and later ones work when it is back', async () => {
  const store = await open(addressAt(), { busyMs: 300 });
  await store.set('a', 1, LONG);
  await redis.kill();
  const { code, message } = await failureOf(() => store.get('a'));
  assert.equal(code, 'unavailable');
  assert.match(message, /^Redis at 127\.0\.0\.1:\d+ could not be reached for 300 ms$/);
  await failureOf(() => open(addressAt(), { busyMs: 50 }));
  await redis.start();
  await until(() =>
    Promise.resolve(store.get('a')).then(
      (value) => value === 1,
      () => false,
    ),
  );
  await store.close();
});

test('a write whose answer is lost is repeated only if that changes nothing more', async (t) => {
  const proxy = await startTcpProxy(redis.port);
  t.after(() => proxy.close());
  const store = await open(addressAt(proxy.port));
  // So that Redis knows the scripts, and its next answer is that of the operation.
  await store.append('other', 1, LONG);
  await store.add('other added', 1, LONG);
  await store.swap('other added', 1, 2, LONG);
  for (const act of [
    () => store.append('log', 1, LONG),
    () => store.add('added', 1, LONG),
    () => store.swap('added', 1, 2, LONG),
  ]) {
    // Opens the connection again.
    await store.get('nothing');
    proxy.loseAnswer();
    const { code, message } = await failureOf(act);
    assert.equal(code, 'unavailable');
    assert.match(message, /lost before it answered, so it is not known whether the operation took effect/);
  }
  assert.deepEqual(await store.read('log', 0), { first: 1, values: [1] });
  assert.equal(await store.get('added'), 2);
  proxy.loseAnswer();
  await store.set('set', 1, LONG);
  proxy.loseAnswer();
  assert.equal(await store.get('set'), 1);
  proxy.loseAnswer();
  await store.delete('set');
  assert.equal(await store.get('set'), undefined);
  await store.close();
});

test('when a connection is silent, the next operation uses a new one', async (t) => {
  const proxy = await startTcpProxy(redis.port);
  t.after(() => proxy.close());
  const store = await open(addressAt(proxy.port), { busyMs: 1_000 });
  await store.set('a', 1, LONG);
  proxy.silence();
  const { code, message } = await failureOf(() => store.append('log', 1, LONG));
  assert.equal(code, 'unavailable');
  assert.match(message, /did not answer for 1000 ms, so it is not known whether/);
  assert.equal(await store.get('a'), 1);
  await store.close();
});

test('operations wait while Redis is a replica, because another node takes over', async () => {
  const store = await open();
  await store.set('a', 1, LONG);
  await administer(['REPLICAOF', '127.0.0.1', '1']);
  const appended = store.append('log', 1, LONG);
  await administer(['PING']);
  await administer(['REPLICAOF', 'NO', 'ONE']);
  assert.equal(await appended, 1);
  await store.close();
});

test('a store that is closed ends its operations first, and then refuses others', async () => {
  const store = await open();
  const appended = store.append('log', 1, LONG);
  const closed = store.close();
  assert.equal((await failureOf(() => store.get('a'))).code, 'closed');
  assert.equal(await appended, 1);
  await closed;
  await store.close();
});

test('an open store does not keep a program running', () => {
  const code = `
    import { openStore } from '@tenon/store';
    const store = await openStore(process.argv[1]);
    await store.set('a', 1, 1e9);
    console.log(await store.get('a'));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code, addressAt()], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.deepEqual([stdout, stderr, status], ['1\n', '', 0]);
});

test('a Redis that may remove values by itself is refused, with what to set', async (t) => {
  t.after(() => administer(['CONFIG', 'SET', 'maxmemory-policy', 'noeviction']));
  await administer(['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru']);
  const { code, message } = await failureOf(() => open());
  await administer(['CONFIG', 'SET', 'maxmemory-policy', 'noeviction']);
  assert.equal(code, 'failed');
  assert.match(message, /maxmemory-policy is allkeys-lru. Set it to noeviction: redis-cli CONFIG SET/);
  await (await open()).close();
});

test('without memory nothing is changed, what was stored can be read and deleted, and later there is room again', async (t) => {
  t.after(() => administer(['CONFIG', 'SET', 'maxmemory', '0']));
  const address = addressAt();
  const store = await open(address);
  await store.add('a', 'x'.repeat(1_000), LONG, 'owner');
  await store.append('log', 1, LONG);
  await administer(['CONFIG', 'SET', 'maxmemory', '1']);
  const root = `{${new URL(address).searchParams.get('prefix')}}`;
  const state = () => administer(['HGETALL', `${root}:totals`], ['HGETALL', `${root}:meta`], ['DBSIZE']);
  const before = await state();
  for (const act of [
    () => store.add('b', 1, LONG),
    () => store.set('c', 1, LONG),
    () => store.append('log', 2, LONG),
    () => store.append('new', 1, LONG),
  ]) {
    const error = await failureOf(act);
    assert.ok(error instanceof RangeError, inspect(error));
    assert.match(error.message, /has no memory left. Raise maxmemory/);
  }
  assert.deepEqual(await state(), before);
  // A new process can use the store as well.
  const other = await open(address);
  assert.equal(await other.get('a'), 'x'.repeat(1_000));
  await other.delete('a');
  await administer(['CONFIG', 'SET', 'maxmemory', '0']);
  assert.equal(await store.append('log', 2, LONG), 2);
  assert.equal(await store.add('a', 1, LONG, 'owner'), true);
  await store.close();
  await other.close();
});

/** The rules of the user in docs/stores.md. */
const USER = '+@connection +@read +@write +@scripting +@pubsub +time -@dangerous -@admin'.split(' ');

test('a user who may neither configure nor inspect Redis can use its own prefix, and no other', async () => {
  await administer(['ACL', 'SETUSER', 'tenon', 'on', `>${PASSWORD}`, '~{mine}*', '&mine:*', ...USER]);
  const address = `redis://tenon:${PASSWORD}@127.0.0.1:${redis.port}/0`;
  const store = await open(`${address}?prefix=mine`);
  assert.equal(await store.append('log', 1, LONG), 1);
  assert.equal(await store.add('added', 1, LONG, 'owner'), true);
  assert.equal(await store.swap('added', 1, 2, LONG), true);
  await store.set('a', 1, LONG);
  assert.deepEqual(await store.keys('', undefined, 5), ['a', 'added']);
  await store.delete('a');
  await store.close();
  const { code, message } = await failureOf(() => open(`${address}?prefix=other`));
  assert.equal(code, 'failed');
  assert.match(message, /does not permit its user what a store needs/);
});

test('a wrong password, and the keys of another program, are refused at once', async () => {
  const { code, message } = await failureOf(() => open(addressAt(redis.port, ':wrong-SECRETPW')));
  assert.equal(code, 'failed');
  assert.match(message, /refused the user or password in the address/);
  const address = addressAt();
  await administer(['SET', `{${new URL(address).searchParams.get('prefix')}}:totals`, 'theirs']);
  const foreign = await failureOf(() => open(address));
  assert.equal(foreign.code, 'not-a-store');
  assert.match(foreign.message, /belong to another program. Choose another \?prefix=/);
});

test('a store that a newer version has written is refused', async () => {
  const address = addressAt();
  await (await open(address)).close();
  await administer(['HSET', `{${new URL(address).searchParams.get('prefix')}}:totals`, 'version', '2']);
  assert.equal((await failureOf(() => open(address))).code, 'newer-store');
});

test('invalid addresses are refused, with errors that do not contain the password', async () => {
  for (const address of [
    'redis:',
    'redis://',
    'redis:./file',
    `redis://:${PASSWORD}@host/name`,
    `redis://:${PASSWORD}@host:99999`,
    `redis://:${PASSWORD}@host/0?other=1`,
    `redis://:${PASSWORD}@host/0?prefix={a}`,
    `redis://:${PASSWORD}@host/0#x`,
    `redis://:%E0@${PASSWORD}`,
    'redis://user@host',
  ]) {
    const error = await failureOf(() => openStore(address));
    assert.ok(error instanceof TypeError, `${address}: ${inspect(error)}`);
    assert.match(error.message, /redis:\/\/user:password@host:6379|The prefix in an address/);
  }
});
