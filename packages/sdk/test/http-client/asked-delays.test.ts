// Delays that a server asks for: our client respects them, within limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/client/clock.ts';
import { connect } from '../../src/entries/client.ts';
import {
  event,
  legacyServer,
  modernServer,
  result,
  said,
  type Seen,
  skippingClock,
  stream,
  until,
} from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** An event with a new id each time, and a delay as raw text. */
function eventWith(id: number, retry: string | undefined, message?: object): string {
  return `${retry === undefined ? '' : `retry: ${retry}\n`}${event(message, { id: `e${id}` })}`;
}

/** Shorter than a second: all longer waits are for answers. */
function isShort(ms: number): boolean {
  return ms <= 1_000;
}

for (const [retry, isNew] of [
  [undefined, true],
  ['0', true],
  ['0', false],
  ['1', true],
  ['-1', true],
  ['soon', true],
  ['99999999999999999999999', true],
] as const)
  test(`a server that ends each stream after an event gets at most one request a second (retry: ${retry}, ${isNew ? 'new ids' : 'one id'})`, async () => {
    const waits: number[] = [];
    const clock = skippingClock((ms) => isShort(ms) || ms === 300_000, waits);
    let call: Seen | undefined;
    let resumed = 0;
    const server = await legacyServer((seen, response) => {
      if (seen.message?.method === 'tools/call') call = seen;
      else if (seen.method !== 'GET' || seen.headers['last-event-id'] === undefined) return undefined;
      else resumed++;
      stream(response);
      response.end(resumed < 40 ? eventWith(isNew ? resumed : 0, retry) : event(result(call!, said('whole'))));
      return true;
    });
    const timeout = 1e9;
    await using client = await connect(server.url, { eras, clock, timeout, maxTimeout: timeout });
    const begun = clock.now();
    assert.equal(await client.call('echo'), 'whole');
    assert.ok(clock.now() - begun >= 25_000, `40 requests within ${clock.now() - begun} ms`);
    assert.ok(Math.max(...waits.filter((ms) => ms < timeout / 2)) <= 300_000);
  });

for (const retry of [undefined, '0', '1', 'soon'])
  test(`a server that repeatedly ends the stream of the session gets at most one request a second (retry: ${retry})`, async () => {
    const clock = skippingClock((ms) => ms <= 60_000 && ms !== 4_000 && ms !== 20_000);
    let opened = 0;
    const server = await legacyServer((seen, response) => {
      if (seen.method !== 'GET') return undefined;
      stream(response);
      response.end(eventWith(++opened, retry, changed));
      return true;
    });
    await using client = await connect(server.url, { eras, clock, timeout: 1e12 });
    const begun = clock.now();
    const from = opened;
    await until(() => opened >= from + 40);
    assert.ok(clock.now() - begun >= 25_000, `40 requests within ${clock.now() - begun} ms`);
    assert.ok(await client.call('echo'));
  });

/** Delays that a server can ask for, as raw text. */
const ASKED = ['0', '00', '-0', '-1', '1e9', 'Infinity', 'NaN', '2147483648', '9007199254740993', '9'.repeat(400), ' '];

for (const era of ['legacy', 'modern'] as const)
  test(`no delay that a server asks for is longer than five minutes: ${era}`, async () => {
    for (const asked of ASKED) {
      const waits: number[] = [];
      const own = [500, 1_000, 4_000, 20_000];
      const clock = skippingClock((ms) => ms <= 300_000 && !own.includes(ms), waits);
      const timeout = 1e9;
      let refused = 0;
      const headers = { 'retry-after': asked };
      const server = await (era === 'legacy' ? legacyServer : modernServer)((seen, response) => {
        const { method } = seen.message ?? {};
        const isNew = method === 'initialize' || method === 'server/discover';
        const isStream = seen.method === 'GET' || method === 'subscriptions/listen' || method === 'resources/subscribe';
        // First with the status, then with a stream that ends.
        if (!isStream || isNew) return undefined;
        if (++refused % 2 === 1 || method === 'resources/subscribe') response.writeHead(503, headers).end();
        else {
          stream(response);
          response.end(eventWith(refused, asked, changed));
        }
        return true;
      });
      await using client = await connect(server.url, { eras, clock, timeout, maxTimeout: timeout });
      client.watch({ uri: 'u:1' });
      await until(() => refused >= 6, asked);
      for (const ms of waits) assert.ok(ms >= 0 && (ms <= 300_000 || ms > timeout / 2), `${asked}: ${ms}`);
    }
  });

test('a result is cached for at most a day, whatever the server says', async () => {
  for (const [ttlMs, isKept] of [
    ['1e999', true],
    ['9007199254740993', true],
    ['0.5', false],
    ['-1', false],
    ['"60000"', false],
    ['null', false],
  ] as const) {
    let reads = 0;
    const server = await modernServer((seen, response) => {
      if (seen.message?.method !== 'resources/read') return undefined;
      reads++;
      response.writeHead(200, { 'content-type': 'application/json' });
      const text = JSON.stringify(
        result(seen, { resultType: 'complete', contents: [], ttlMs: 'TTL', cacheScope: 'private' }),
      );
      response.end(text.replace('"TTL"', ttlMs));
      return true;
    });
    let passed = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passed };
    await using client = await connect(server.url, { eras, clock });
    await client.read('u:1');
    passed += 86_300_000;
    await client.read('u:1');
    assert.equal(reads, isKept ? 1 : 2, ttlMs);
    passed += 200_000;
    await client.read('u:1');
    assert.equal(reads, isKept ? 2 : 3, ttlMs);
  }
});
