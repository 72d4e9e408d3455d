// Redirects and encodings, limits that several calls share, and what ends a wait.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createApi } from './api.ts';
import type { ApiOptions } from './api-options.ts';
import { systemClock } from './clock.ts';
import { dataReply } from './data-reply.ts';
import { Pauses } from './rate-limits.ts';

let answer: (response: ServerResponse, request: IncomingMessage) => unknown;
let seen: { readonly method: string; readonly url: string; readonly body: string; readonly token: string }[] = [];
const service = createServer((request, response) => {
  void text(request).then((body) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, body, token: headers.authorization ?? '' });
    return answer(response, request);
  });
}).listen(0, '127.0.0.1');
await new Promise((resolve) => service.once('listening', resolve));
after(() => {
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  seen = [];
});
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
const never = new AbortController().signal;

function call(options: Partial<ApiOptions> = {}) {
  return createApi({ service: 'Tea', url, limits: { retries: 0 }, ...options })({ signal: never });
}

/** Redirects to these places, one after the other, and then answers. */
function redirect(status: number, ...places: string[]): void {
  answer = (response) => {
    const place = places.shift();
    if (place === undefined) response.end('{"a":1}');
    else response.writeHead(status, { location: place }).end();
  };
}

test('a redirect within the origin is followed with the token, which is added once to each address', async () => {
  const add: NonNullable<ApiOptions['token']>['add'] = (key, { url: to }) => to.searchParams.append('key', key);
  redirect(302, 'next?page=2', '/other');
  assert.deepEqual(await call({ url: `${url}/v1`, token: { value: 'k', help: '', add } }).json('first'), { a: 1 });
  assert.deepEqual(
    seen.map((request) => request.url),
    ['/v1/first?key=k', '/v1/next?page=2&key=k', '/other?key=k'],
  );
  seen = [];
  redirect(301, '/x');
  await call({ token: { value: 'k', help: '' } }).json('first');
  assert.deepEqual(
    seen.map(({ token }) => token),
    ['Bearer k', 'Bearer k'],
  );
});

test('a redirect to another origin is not followed, by no method and with no status', async () => {
  const target = url.replace('127.0.0.1', 'localhost');
  for (const method of ['GET', 'POST'])
    for (const status of [301, 302, 303, 307, 308])
      for (const place of [`${target}/x`, `//localhost:${new URL(url).port}/x`, 'http://[', 'data:text/plain,x']) {
        seen = [];
        redirect(status, place);
        await assert.rejects(call().json('x', { method }), /redirects to another site/, `${method} ${status} ${place}`);
        assert.equal(seen.length, 1);
      }
});

test('a change follows only redirects that keep the method and the body, and no redirect goes on forever', async () => {
  for (const status of [307, 308]) {
    seen = [];
    redirect(status, '/there');
    await call().json('here', { method: 'POST', body: { a: 'ä' } });
    assert.deepEqual(
      seen.map(({ method, url: to, body }) => [method, to, body]),
      [
        ['POST', '/here', '{"a":"ä"}'],
        ['POST', '/there', '{"a":"ä"}'],
      ],
    );
  }
  for (const status of [301, 302]) {
    seen = [];
    redirect(status, '/there');
    await assert.rejects(call().json('here', { method: 'POST' }), /moved to \/there\. Nothing was changed/);
    assert.equal(seen.length, 1);
  }
  seen = [];
  answer = (response) => response.writeHead(302, { location: '/again' }).end();
  await assert.rejects(call().json('x'), /redirects more than 5 times/);
  assert.equal(seen.length, 6);
});

test('a compressed answer is measured and given uncompressed, without the headers of the compressed one', async () => {
  answer = (response) => {
    const bytes = gzipSync(JSON.stringify({ a: 'x'.repeat(10_000) }));
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bytes.length }).end(bytes);
  };
  const { headers } = await call().send('x');
  assert.deepEqual([headers.get('content-encoding'), headers.get('content-length')], [null, null]);
  await assert.rejects(call({ limits: { maxBytes: 5_000 } }).json('x'), /more than 5000 bytes/);
});

test('a request is repeated only if it reads', async () => {
  const clock = { now: () => 0, sleep: async () => {} };
  answer = (response) => response.destroy();
  for (const [method, count] of [
    ['GET', 3],
    ['POST', 1],
    ['PUT', 1],
    ['DELETE', 1],
  ] as const) {
    seen = [];
    await assert.rejects(call({ limits: {}, clock }).json('x', { method }), /could not be reached/);
    assert.equal(seen.length, count, method);
  }
});

test('a slow answer ends with the time limit, and a client library can end its own request', async () => {
  answer = (response) => response.writeHead(200).write('{');
  await assert.rejects(call({ limits: { timeoutMs: 50, retries: 0 } }).json('x'), /no answer within 0\.05 seconds/);
  const canceller = new AbortController();
  answer = () => canceller.abort(new Error('enough'));
  await assert.rejects(call().fetch(`${url}/x`, { signal: canceller.signal }), /^Error: enough$/);
});

test('without a token, nothing is sent that needs one', async () => {
  answer = (response) => response.end('{}');
  const help = 'Set TEA_TOKEN.';
  await assert.rejects(call({ token: { value: undefined, help } }).json('x'), /GET \/x needs a token\. Set TEA_TOKEN/);
  const optional = call({ token: { value: undefined, help, isOptionalToRead: true } });
  await assert.rejects(optional.json('x', { method: 'POST' }), /POST \/x needs a token/);
  assert.equal(seen.length, 0);
  await optional.json('x');
  assert.equal(seen.length, 1);
});

test('a later refusal does not shorten a wait, which is reported every five seconds', async () => {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const pauses = new Pauses(clock);
  pauses.add('', 12_000);
  pauses.add('', 1_000);
  pauses.add('other', 60_000);
  const reports: number[] = [];
  await pauses.wait('', never, (seconds) => reports.push(seconds));
  assert.deepEqual([reports, now], [[12, 7, 2], 12_000]);
});

test('the calls that have waited for a limit go on one after the other, and later ones at once', async () => {
  let now = 0;
  const sleepers: { readonly end: number; readonly wake: () => void }[] = [];
  const clock = {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ end: now + ms, wake })),
  };
  const pauses = new Pauses(clock);
  pauses.add('', 2_000);
  const times: number[] = [];
  const calls = Array.from({ length: 4 }, () => pauses.wait('', never, () => {}).then(() => times.push(now)));
  while (times.length < calls.length) {
    await new Promise(setImmediate);
    now = Math.min(...sleepers.map(({ end }) => end));
    for (const { wake } of sleepers
      .splice(0)
      .filter(({ end, wake: later }) => end <= now || void sleepers.push({ end, wake: later })))
      wake();
    await new Promise(setImmediate);
  }
  assert.deepEqual(times, [2_000, 2_100, 2_200, 2_300]);
  await pauses.wait('', never, () => assert.fail('waited'));
  assert.equal(now, 2_300);
});

test('a wait of years is refused with its end, and the service is asked again after an hour', async () => {
  let now = Date.parse('2026-07-28T12:00:00Z');
  const clock = { now: () => now, sleep: async () => {} };
  const api = createApi({ service: 'Tea', url, clock });
  answer = (response) => response.writeHead(429, { 'retry-after': '999999999' }).end();
  const ask = () => api({ signal: never }).json('x');
  for (let times = 1; times <= 2; times++) {
    await assert.rejects(ask(), /accepts the next one at 2058-04-05T13:46:39\.000Z\. Wait until then/);
    assert.equal(seen.length, 1);
  }
  now += 3_600_000;
  answer = (response) => response.end('{"a":1}');
  assert.deepEqual(await ask(), { a: 1 });
});

test('a wait of the system ends at once with the reason of its signal', async () => {
  const canceller = new AbortController();
  const waiting = systemClock.sleep(3_600_000, canceller.signal);
  canceller.abort(new Error('enough'));
  await assert.rejects(waiting, /^Error: enough$/);
});

test('a result that is too long for clients is an error that says what to do', () => {
  assert.throws(() => dataReply('Tea', { a: 'x'.repeat(3_000_000) }), /would have 30\d+ characters\. Ask for less/);
});
