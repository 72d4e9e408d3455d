// Servers that are busy for a while and ask for a delay (`Retry-After`): which requests our client repeats, and when.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { connect, type ConnectOptions, ConnectionError } from '../../src/entries/client.ts';
import {
  event,
  failure,
  json,
  legacyServer,
  modernServer,
  type Seen,
  skippingClock,
  stream,
  until,
} from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const TOOLS = [
  { name: 'echo', inputSchema: { type: 'object' } },
  { name: 'safe', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

/** Skips pauses. The other waits are for answers. */
function isPause(ms: number): boolean {
  return ms < 50_000_000 && ![500, 4_000, 20_000, 29_999].includes(ms);
}

type Refuse = (response: ServerResponse, seen: Seen) => void;

function refusing(status: number, retryAfter: string | undefined, headers: object = {}): Refuse {
  return (response) =>
    void response
      .writeHead(status, { ...headers, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) })
      .end();
}

/** A server that refuses the first requests of one method, and counts the time in which it does. */
async function busy(
  era: 'modern' | 'legacy',
  method: string,
  times: number,
  refuse: Refuse,
  options: ConnectOptions = {},
) {
  let refused = 0;
  const server = await (era === 'modern' ? modernServer : legacyServer)((seen, response) => {
    if (seen.message?.method === 'tools/list') {
      const page = { resultType: 'complete', tools: TOOLS, ttlMs: 0, cacheScope: 'private' };
      json(response, { jsonrpc: '2.0', id: seen.message.id, result: page });
      return true;
    }
    if (seen.message?.method !== method || refused >= times) return undefined;
    refused++;
    refuse(response, seen);
    return true;
  });
  const clock = skippingClock(isPause);
  const client = await connect(server.url, { eras, clock, timeout: 60_000_000, maxTimeout: 600_000_000, ...options });
  await client.tools().all();
  const begun = clock.now();
  return {
    client,
    server,
    elapsed: () => clock.now() - begun,
    refused: () => refused,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

for (const era of ['modern', 'legacy'] as const) {
  test(`a call that was refused with 429 is sent again after the server's delay, with a new id: ${era}`, async () => {
    await using made = await busy(era, 'tools/call', 1, refusing(429, '30'));
    assert.equal(await made.client.call('echo'), 'done');
    assert.ok(made.elapsed() >= 30_000 && made.elapsed() < 40_000, String(made.elapsed()));
    const ids = made.server.posts('tools/call').map(({ message }) => message.id);
    assert.equal(new Set(ids).size, 2);
  });

  test(`after 503 only requests without side effects are sent again: ${era}`, async () => {
    await using made = await busy(era, 'tools/call', 2, refusing(503, '30'));
    await assert.rejects(made.client.call('echo'), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.deepEqual([error.status, error.processed, error.retryAfterMs], [503, 'unknown', 30_000]);
      return true;
    });
    assert.equal(made.server.posts('tools/call').length, 1);
    assert.equal(await made.client.call('safe'), 'done');
    assert.equal(made.server.posts('tools/call').length, 3);
    assert.ok(made.elapsed() >= 30_000, String(made.elapsed()));
  });

  test(`a call that was refused with 503 is sent again if the server says that nothing was done: ${era}`, async () => {
    const refuse: Refuse = (response, { message }) => {
      const error = { code: -32603, message: 'Nothing was done', data: { retryAfterMs: 2_000, repeatable: true } };
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '2' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, error }));
    };
    await using made = await busy(era, 'tools/call', 2, refuse);
    assert.equal(await made.client.call('echo'), 'done');
    assert.equal(made.server.posts('tools/call').length, 3);
  });

  test(`a request is sent again three times, after growing delays if the server asks for none: ${era}`, async () => {
    await using made = await busy(era, 'ping', 9, refusing(429, '0'));
    await assert.rejects(made.client.request('ping'), { status: 429, processed: 'no', retryAfterMs: 0 });
    assert.equal(made.refused(), 4);
    assert.ok(made.elapsed() >= 0.75 * 7_000, String(made.elapsed()));
  });
}

test("a delay may be a date, which is compared with the server's clock", async () => {
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
  await using made = await busy('modern', 'tools/call', 1, refusing(429, 'Wed, 21 Oct 2015 07:29:00 GMT', { date }));
  assert.equal(await made.client.call('echo'), 'done');
  assert.ok(made.elapsed() >= 60_000 && made.elapsed() < 70_000, String(made.elapsed()));
});

test('without a valid delay, nothing is sent again', async () => {
  const past = 'Wed, 21 Oct 2015 07:28:00 GMT';
  for (const given of [undefined, '', '-5', '1.5', '1e3', 'soon', 'GMT', past, '0x10', '5, 6', 'Infinity'])
    for (const status of [429, 503]) {
      await using made = await busy('modern', 'tools/call', 9, refusing(status, given));
      await assert.rejects(made.client.call('echo'), { status, retryAfterMs: undefined });
      assert.equal(made.refused(), 1, given);
    }
  // A delay counts only with these two statuses.
  for (const status of [400, 404, 413, 500, 502]) {
    await using made = await busy('modern', 'tools/call', 9, refusing(status, '1'));
    await assert.rejects(made.client.call('echo'), { status, retryAfterMs: undefined });
    assert.equal(made.refused(), 1);
  }
});

test('a call that would have to wait for longer than its timeouts is rejected at once, with the delay', async () => {
  for (const options of [{ timeout: 29_999 }, { timeout: 60_000_000, maxTimeout: 29_999 }]) {
    await using made = await busy('modern', 'tools/call', 9, refusing(429, '30'));
    await assert.rejects(made.client.call('echo', {}, options), { status: 429, retryAfterMs: 30_000 });
    assert.equal(made.refused(), 1);
    assert.ok(made.elapsed() < 10_000);
  }
  await using made = await busy('modern', 'tools/call', 9, refusing(429, '9'.repeat(400)));
  await assert.rejects(made.client.call('echo'), { status: 429, retryAfterMs: 86_400_000 });
  assert.equal(made.refused(), 1);
});

test('a call that waits to be sent again can be aborted', async () => {
  const stop = new AbortController();
  await using made = await busy('modern', 'tools/call', 9, (response) => {
    refusing(429, '20')(response, undefined as never);
    setTimeout(() => stop.abort(), 20);
  });
  await assert.rejects(made.client.call('echo', {}, { signal: stop.signal }), { name: 'AbortError' });
  assert.equal(made.refused(), 1);
});

test('a refusal with a JSON-RPC error in its body has the same effect', async () => {
  const refuse: Refuse = (response, seen) =>
    json(response, failure(seen, -32000, 'Slow down'), 429, { 'retry-after': '30' });
  await using once = await busy('modern', 'tools/call', 1, refuse);
  assert.equal(await once.client.call('echo'), 'done');
  await using always = await busy('modern', 'tools/call', 9, refuse);
  await assert.rejects(always.client.call('echo'), { status: 429, message: /Slow down/ });
});

for (const era of ['modern', 'legacy'] as const)
  test(`a watch begins after the delay of a busy server: ${era}`, async () => {
    const method = era === 'modern' ? 'subscriptions/listen' : 'resources/subscribe';
    const refuse = refusing(503, '120');
    let refused = 0;
    const server = await (era === 'modern' ? modernServer : legacyServer)((seen, response) => {
      if (seen.message?.method !== method) return undefined;
      if (refused++ < 1) return (refuse(response, seen), true);
      if (era === 'legacy') return undefined;
      stream(response);
      const _meta = { 'io.modelcontextprotocol/subscriptionId': seen.message.id };
      const { notifications } = seen.message.params;
      response.write(
        event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } }),
      );
      return true;
    });
    const clock = skippingClock(isPause);
    await using client = await connect(server.url, { eras, clock, timeout: 60_000_000, maxTimeout: 600_000_000 });
    const begun = clock.now();
    await client.watch({ uri: 'u:1' }).ready;
    assert.ok(clock.now() - begun >= 120_000, String(clock.now() - begun));
    assert.equal(refused, 2);
  });

test('the stream of a session is opened again after the delay of a busy server', async () => {
  let gets = 0;
  const server = await legacyServer((seen, response) => {
    if (seen.method !== 'GET') return undefined;
    if (++gets < 3) refusing(503, '120')(response, seen);
    else stream(response);
    return true;
  });
  const clock = skippingClock(isPause);
  const begun = clock.now();
  await using client = await connect(server.url, { eras, clock, revision: '2025-11-25', timeout: 60_000_000 });
  await until(() => gets === 3);
  assert.ok(clock.now() - begun >= 240_000, String(clock.now() - begun));
  assert.equal(await client.call('echo'), 'done');
});

test('connecting to a busy server fails with the delay', async () => {
  for (const status of [429, 503]) {
    const server = await modernServer((seen, response) => (refusing(status, '7')(response, seen), true));
    await assert.rejects(connect(server.url, { eras }), { name: 'ConnectionError', status, retryAfterMs: 7_000 });
  }
});
