import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { after, test } from 'node:test';
import { Redis } from 'ioredis';
import { connect, type ConnectOptions } from 'tenon/client';
import { type RedisProcess, startRedis } from '../../../scripts/lib/redis-server.ts';
import { until } from '../../../scripts/lib/until.ts';
import { assertNoFindings } from '../../shared/test/findings.ts';
import { commandOf, serveOverHttp, textOf, waysTo, withTenon } from '../../shared/test/ways.ts';
import { RedisConnection } from './connection.ts';
import { createRedis, type RedisOptions } from './redis.ts';

const running: RedisProcess = await startRedis();
const admin = new Redis(running.address);
after(async () => {
  admin.disconnect();
  await running.stop();
});

/** A client of a server on this Redis. */
function client(options: RedisOptions = {}, more: ConnectOptions = {}, address = running.address) {
  return connect(createRedis(new RedisConnection(address), options), more);
}

async function failure(call: Promise<{ readonly isError?: boolean; readonly content: readonly object[] }>) {
  const result = await call;
  assert.equal(result.isError, true, JSON.stringify(result));
  return textOf(result as never);
}

const { ways, stop } = waysTo({ name: 'redis', args: [running.address] });
after(stop);
for (const [way, open] of ways)
  test(`values are set, read, listed and deleted: ${way}`, async () => {
    const peer = await open();
    const key = `${way} ä`;
    assert.deepEqual((await peer.tools()).sort(), ['delete', 'get', 'list', 'set']);
    assert.equal(textOf(await peer.call('get', { key })), `Key not found: ${key}`);
    assert.equal(textOf(await peer.call('set', { key, value: 'täglich\n' })), `Successfully set key: ${key}`);
    assert.equal(textOf(await peer.call('get', { key })), 'täglich\n');
    assert.equal(textOf(await peer.call('list', { pattern: `${way}*` })), `Found keys:\n${key}`);
    assert.equal(textOf(await peer.call('delete', { key })), `Successfully deleted key: ${key}`);
    assert.equal(await admin.exists(key), 0);
    assert.equal(textOf(await peer.call('list', { pattern: `${way}*` })), 'No keys found matching pattern');
    await peer.close();
  });

test('a value expires after the given seconds, and one that is set again without them does not', async () => {
  await using peer = await client();
  await peer.call('set', { key: 'expiring', value: '1', expireSeconds: 100 });
  assert.ok((await admin.ttl('expiring')) > 90);
  await peer.call('set', { key: 'expiring', value: '2' });
  assert.equal(await admin.ttl('expiring'), -1);
  for (const expireSeconds of [0, -1, 1.5])
    await failure(peer.result('set', { key: 'expiring', value: '3', expireSeconds }));
  assert.equal(await admin.get('expiring'), '2');
});

test('a long value is read in parts, none of which cuts a character', async () => {
  await using peer = await client();
  // Wherever the parts end: within a character, or between two.
  for (const before of ['', 'x', 'xx', 'xxx', 'xxxx']) {
    const value = `${before}${'a€🚀'.repeat(70_000)}`;
    await admin.set('long', value);
    let read = '';
    for (let start: number | undefined = 0; start !== undefined;) {
      const { structuredContent, content } = await peer.result('get', { key: 'long', start });
      const part = structuredContent as { value: string; length: number; next?: number };
      assert.equal(part.length, Buffer.byteLength(value));
      assert.ok(Buffer.byteLength(part.value) <= 256 * 1024);
      if (part.next !== undefined)
        assert.match(textOf({ content } as never), new RegExp(`call get again with start: ${part.next}\\)$`));
      read += part.value;
      start = part.next;
    }
    assert.equal(read, value);
  }
});

test('a value that is not UTF-8 is returned in base64, and no byte is lost', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0x41, 0xc3]);
  await admin.set('binary', bytes);
  await using peer = await client();
  const { structuredContent } = await peer.result('get', { key: 'binary' });
  assert.deepEqual(structuredContent, { found: true, base64: bytes.toString('base64'), length: 4 });
  const { contents } = await peer.read('redis:///binary');
  assert.equal((contents[0] as { blob: string }).blob, bytes.toString('base64'));
});

test('an empty value is a value', async () => {
  await using peer = await client();
  await peer.call('set', { key: '', value: '' });
  const { structuredContent } = await peer.result('get', { key: '' });
  assert.deepEqual(structuredContent, { found: true, value: '', length: 0 });
  await peer.call('delete', { key: '' });
});

test('a list, hash or set is neither read as text nor replaced by one', async () => {
  await admin.hset('hash', 'field', 'value');
  await using peer = await client();
  assert.match(await failure(peer.result('get', { key: 'hash' })), /The key hash holds a hash/);
  assert.match(await failure(peer.result('set', { key: 'hash', value: 'x' })), /delete it first/);
  assert.equal(await admin.hget('hash', 'field'), 'value');
});

test('text that cannot be written as it is is refused', async () => {
  await using peer = await client();
  for (const args of [
    { key: 'half', value: '\ud800' },
    { key: '\udc00', value: 'x' },
  ])
    await failure(peer.result('set', args));
  assert.equal(await admin.exists('half', '\ufffd'), 0);
});

test('many keys are listed in parts that together are all keys', async () => {
  const names = Array.from({ length: 5_000 }, (_, n) => `many:${n}`);
  await admin.mset(names.flatMap((name) => [name, '1']));
  await admin.set(Buffer.from('many:\xff', 'latin1'), '1');
  await admin.set(`many:${'x'.repeat(2_000)}`, '1');
  await using peer = await client();
  const all = new Set<string>();
  let omitted = 0;
  let rounds = 0;
  for (let cursor: string | undefined; rounds === 0 || cursor !== undefined; rounds++) {
    const { structuredContent } = await peer.result('list', {
      pattern: 'many:*',
      ...(cursor === undefined ? {} : { cursor }),
    });
    const page = structuredContent as { keys: string[]; omitted: number; cursor?: string };
    assert.ok(page.keys.length < 2_000);
    for (const key of page.keys) all.add(key);
    omitted += page.omitted;
    cursor = page.cursor;
  }
  assert.deepEqual([...all].sort(), names.sort());
  assert.ok(omitted >= 2);
  assert.ok(rounds > 2);
});

test('a search that is cancelled stops', async () => {
  await admin.mset(Array.from({ length: 50_000 }, (_, n) => [`cancelled:${n}`, '']).flat());
  await using peer = await client();
  const stopping = new AbortController();
  const scans = async () => Number(/cmdstat_scan:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
  const before = await scans();
  await assert.rejects(
    peer.result('list', { pattern: 'no such*' }, { signal: stopping.signal, onProgress: () => stopping.abort() }),
    { name: 'AbortError' },
  );
  let after = -1;
  // It has stopped when no further SCAN arrives.
  await until(async () => {
    const last = after;
    after = await scans();
    return last === after;
  });
  assert.ok(after - before < 50, `${after - before} of more than 100`);
});

test('several keys are deleted at once, and those that were there are counted', async () => {
  await admin.mset('one', '1', 'two', '2');
  await using peer = await client();
  const result = await peer.result('delete', { key: ['one', 'two', 'none', 'one'] });
  assert.equal(textOf(result as never), 'Successfully deleted 2 keys (1 not found)');
  assert.equal(textOf((await peer.result('delete', { key: 'none' })) as never), 'Key not found: none');
});

test('the user is asked before keys are deleted, in both eras, unless an option says otherwise', async () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const)
    for (const sure of [true, false]) {
      await admin.mset('asked', '1', 'asked too', '2');
      const messages: string[] = [];
      const elicit: ConnectOptions['elicit'] = ({ message }) => {
        messages.push(message);
        return { action: 'accept', content: { delete: sure } };
      };
      await using peer = await client({}, { revision, elicit });
      await peer.result('delete', { key: 'not there' });
      await peer.result('delete', { key: ['asked', 'asked too'] });
      assert.deepEqual(messages, ["Delete 2 keys, named like 'asked', from Redis?"]);
      assert.equal(await admin.exists('asked', 'asked too'), sure ? 0 : 2);
      await using bold = await client({ confirm: false }, { revision, elicit });
      await bold.result('delete', { key: 'asked' });
      assert.equal(messages.length, 1);
    }
});

test('a server that only reads has no tool that changes anything', async () => {
  await using peer = await client({ readOnly: true });
  assert.deepEqual(
    (await peer.tools().all()).map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
    [
      ['get', true],
      ['list', true],
    ],
  );
});

test('keys are completed, also those with characters that mean something in patterns', async () => {
  await admin.mset('com[1]', 'a', 'com[2]', 'b', 'com1', 'c');
  await using peer = await client();
  const completed = async (typed: string) =>
    (await peer.complete({ template: 'redis:///{key}' }, { argument: 'key', value: typed })).values.toSorted();
  assert.deepEqual(await completed('com['), ['com[1]', 'com[2]']);
  assert.deepEqual(await completed('com'), ['com1', 'com[1]', 'com[2]']);
  const { contents } = await peer.read('redis:///com%5B1%5D');
  assert.equal((contents[0] as { text: string }).text, 'a');
});

test('a lost connection is made again for the next call, and a failed call says where Redis should be', async () => {
  const first = await startRedis();
  await using peer = await client({}, {}, first.address);
  await peer.call('set', { key: 'a', value: '1' });
  await first.stop();
  await until(async () => (await peer.result('get', { key: 'a' })).isError === true);
  const message = await failure(peer.result('get', { key: 'a' }));
  assert.match(message, new RegExp(`Redis at 127.0.0.1:${first.port} cannot be reached: .*ECONNREFUSED`));
  const second = await startRedis([], first.port);
  after(() => second.stop());
  assert.equal(textOf((await peer.result('get', { key: 'a' })) as never), 'Key not found: a');
});

test('a password is used and never shown', async () => {
  const locked = await startRedis(['--requirepass', 'open-sesame']);
  after(() => locked.stop());
  const addressOf = (password: string) => `redis://default:${password}@127.0.0.1:${locked.port}/2`;
  await using right = await client({}, {}, addressOf('open-sesame'));
  await right.call('set', { key: 'a', value: '1' });
  assert.equal(textOf((await right.result('get', { key: 'a' })) as never), '1');
  for (const address of [addressOf('not-that-one'), locked.address]) {
    await using wrong = await client({}, {}, address);
    const message = await failure(wrong.result('get', { key: 'a' }));
    assert.match(message, /refused the user or password/);
    assert.doesNotMatch(message, /not-that-one/);
  }
});

test('errors of Redis are explained to the model', async () => {
  const full = await startRedis(['--maxmemory', '500kb', '--maxmemory-policy', 'noeviction']);
  after(() => full.stop());
  await using peer = await client({}, {}, full.address);
  assert.match(await failure(peer.result('set', { key: 'a', value: 'x' })), /Redis refused this: OOM/);
});

test('an address that cannot be used ends the server with a sentence without the password', async () => {
  for (const address of ['http://user:secret@localhost', 'redis://user:secret@host/one', 'secret']) {
    const [command, ...args] = commandOf({ name: 'redis', args: [address] });
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: process.env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 2);
    assert.match(output, /^redis: The address of Redis has the form redis:/);
    assert.doesNotMatch(output, /secret/);
  }
});

test('the server ends with its client, although it is connected to Redis', async () => {
  const [command, ...args] = commandOf({ name: 'redis' });
  const env = { ...process.env, REDIS_URL: running.address };
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'set', arguments: { key: 'from the environment', value: '1' }, _meta };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  await until(() => output.includes('Successfully set key'));
  assert.equal(await admin.get('from the environment'), '1');
  child.stdin.end();
  assert.equal(await ended, 0);
});

test('`tenon check` has no finding', async () =>
  void (await assertNoFindings({ name: 'redis', args: [running.address] })));

test('over HTTP all clients share the database', async () => {
  const served = await serveOverHttp({ name: 'redis', args: [running.address] });
  after(() => served.stop());
  const [one, two] = await Promise.all([withTenon(served.url, '2025-11-25'), withTenon(served.url, '2026-07-28')]);
  await one.call('set', { key: 'shared', value: 'yes' });
  assert.equal(textOf(await two.call('get', { key: 'shared' })), 'yes');
  await Promise.all([one.close(), two.close()]);
});
