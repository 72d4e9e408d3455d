import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { z } from 'zod';
import { until } from '../../../scripts/lib/until.ts';
import { ApiError, apiErrorIn, messageIn } from './api-error.ts';
import { createApi } from './api.ts';
import type { ApiOptions } from './api-options.ts';
import type { ApiClock } from './clock.ts';
import { collectPages, hasNextLink } from './pages.ts';
import { pick } from './pick.ts';
import { retryAfter, untilReset, waitByStatus } from './rate-limits.ts';
import { ReplyCache } from './reply-cache.ts';
import { tokenFromEnvironment } from './token.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;
let answer: Answer = (response) => response.end('{}');
let seen: IncomingMessage[] = [];
const service = createServer((request, response) => {
  seen.push(request);
  request.resume().on('end', () => answer(response, request));
}).listen(0, '127.0.0.1');
await new Promise((resolve) => service.once('listening', resolve));
after(() => {
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  seen = [];
  answer = (response) => response.end('{}');
});
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

let now = 0;
const clock: ApiClock = {
  now: () => now,
  sleep: async (ms) => {
    now += ms;
  },
};
const never = new AbortController().signal;
function call(options: Partial<ApiOptions> = {}) {
  return createApi({ service: 'Tea', url, clock, ...options })({ signal: never });
}
function headersOf(fields: Record<string, string>): { headers: Headers; now: number } {
  return { headers: new Headers(fields), now: Date.parse('2026-07-28T12:00:00Z') };
}

test('Retry-After is read as seconds and as a date, and nothing else', () => {
  assert.equal(retryAfter(headersOf({ 'retry-after': '7' })), 7_000);
  assert.equal(retryAfter(headersOf({ 'retry-after': 'Tue, 28 Jul 2026 12:00:09 GMT' })), 9_000);
  assert.equal(retryAfter(headersOf({ 'retry-after': 'Tue, 28 Jul 2026 11:00:00 GMT' })), 0);
  for (const value of ['', '-1', '1.5', 'soon', 'Tue, x', '1e9', '9999999999'])
    assert.equal(retryAfter(headersOf({ 'retry-after': value })), undefined, value);
});

test('the end of a limit is read from the headers only if no requests remain', () => {
  const reset = String(Date.parse('2026-07-28T12:01:00Z') / 1_000);
  const until = (fields: Record<string, string>) => untilReset(headersOf(fields), 'ratelimit');
  assert.equal(until({ 'ratelimit-remaining': '0', 'ratelimit-reset': reset }), 60_000);
  assert.equal(until({ 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }), 0);
  assert.equal(until({ 'ratelimit-remaining': '1', 'ratelimit-reset': reset }), undefined);
  for (const odd of ['', 'soon', '1.5', '1e9', '9007199254740991'])
    assert.equal(until({ 'ratelimit-remaining': '0', 'ratelimit-reset': odd }), undefined, odd);
  assert.equal(until({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }), undefined);
});

test('a service that uses statuses differently says what an answer stands for', async () => {
  const statusOf = ({ bytes }: { bytes: Uint8Array }) => (/LIMIT/.test(Buffer.from(bytes).toString()) ? 429 : 200);
  const answers = ['{"status":"OVER_LIMIT"}', '{"status":"OK"}'];
  answer = (response) => response.end(answers.shift());
  assert.deepEqual(await call({ statusOf }).json('x'), { status: 'OK' });
  answer = (response) => response.writeHead(400).end('{"error":"pending"}');
  assert.deepEqual(await call({ statusOf }).json('x', { method: 'POST', body: {} }), { error: 'pending' });
  assert.equal(seen.length, 3);
});

test('a refusal without Retry-After is a limit only with status 429, and the wait doubles', () => {
  const reply = (status: number, attempt = 0) => waitByStatus({ status, attempt, body: '', ...headersOf({}) });
  assert.deepEqual([reply(429), reply(429, 1), reply(429, 3)], [1_000, 2_000, 8_000]);
  assert.deepEqual([reply(503), reply(403), reply(500)], [undefined, undefined, undefined]);
});

test('a service that always asks to wait is not asked forever', async () => {
  answer = (response) => response.writeHead(429, { 'retry-after': '0' }).end();
  await assert.rejects(
    call({ limits: { maxWaitMs: 10_000 } }).json('x'),
    /limits requests, and accepts the next one at/,
  );
  assert.ok(seen.length <= 11, String(seen.length));
});

test('an error of a service without statuses says what the body says about it', async () => {
  answer = (response) => response.end('{"error":"gone"}');
  const tea = call({ statusOf: () => 404, noteOn: (_, status, body) => `${status} ${body}.` });
  const expected = /^Tea refused GET \/x: gone\. It does not exist.* 404 \{"error":"gone"\}\.$/;
  await assert.rejects(tea.json('x'), (error: ApiError) => error.status === 404 && expected.test(error.message));
});

test('while a limit is waited for, no other call sends a request', async () => {
  const api = createApi({ service: 'Tea', url, clock });
  answer = (response) => {
    if (seen.length === 1) response.writeHead(429, { 'retry-after': '9' }).end();
    else response.end(`${now}`);
  };
  const began = now;
  await api({ signal: never }).json('a');
  assert.equal(now - began, 9_000);
  answer = (response) => response.writeHead(429, { 'retry-after': '3600' }).end();
  await assert.rejects(api({ signal: never }).json('b'));
  const count = seen.length;
  await assert.rejects(api({ signal: never }).json('c'), /Wait until then/);
  assert.equal(seen.length, count);
  now += 3_600_000;
  answer = (response) => response.end('{}');
  await api({ signal: never }).json('c');
});

test('only some requests are sent at a time, and the others wait in their order, up to a limit', async () => {
  const open: ServerResponse[] = [];
  answer = (response) => open.push(response);
  const { json } = call({ limits: { concurrency: 2 } });
  const calls = Array.from({ length: 103 }, (_, index) => json(`${index}`));
  await assert.rejects(calls.at(-1)!, {
    message: 'Too many requests to Tea are waiting. Call again when some have ended.',
  });
  for (let answered = 0; answered < 102; answered++) {
    await until(() => open.length > 0, 'a request has come');
    assert.ok(open.length <= 2);
    open.shift()!.end('{}');
  }
  assert.equal((await Promise.all(calls.slice(0, 102))).length, 102);
  assert.deepEqual(
    seen.map((request) => Number(request.url!.slice(1))).toSorted((a, b) => a - b),
    [...Array(102).keys()],
  );
});

test('a request that waits for others waits also for a limit that one of them has met', async () => {
  const statuses = [429, 200, 200];
  answer = (response) => response.writeHead(statuses.shift()!, { 'retry-after': '60' }).end('{}');
  const { json } = call({ limits: { concurrency: 1 } });
  now = 0;
  const times: number[] = [];
  await Promise.all(['a', 'b'].map(async (path) => times.push(await json(path).then(() => now))));
  assert.deepEqual([seen.length, times.every((time) => time >= 60_000)], [3, true]);
});

test('a cancelled request is ended at the service with the reason, and is not repeated', async () => {
  for (const method of ['GET', 'POST']) {
    seen = [];
    const canceller = new AbortController();
    const closed = Promise.withResolvers<void>();
    answer = (response) => {
      response.on('close', closed.resolve);
      canceller.abort(new Error('enough'));
    };
    const tea = createApi({ service: 'Tea', url, clock })({ signal: canceller.signal });
    await assert.rejects(tea.json('x', { method }), /^Error: enough$/);
    await closed.promise;
    assert.equal(seen.length, 1);
  }
});

test('progress increases over all requests of a call', async () => {
  const reports: number[] = [];
  const ctx = { signal: never, progress: ({ progress }: { progress: number }) => void reports.push(progress) };
  const api = createApi({ service: 'Tea', url, clock });
  const other = createApi({ service: 'Coffee', url, clock });
  for (const make of [api, other, api]) await make(ctx).report('working');
  assert.deepEqual(reports, [1, 2, 3]);
});

test('the path, the query and the body are sent as given, and the address may have a path', async () => {
  const tea = call({ url: `${url}/v1/`, headers: { 'x-client': 'test' } });
  await tea.json('/a/b', { query: { q: 'ä &', n: [1, 2], none: undefined }, method: 'POST', body: { a: 'ä' } });
  assert.equal(seen[0]!.url, '/v1/a/b?q=%C3%A4+%26&n=1&n=2');
  assert.equal(seen[0]!.headers['content-type'], 'application/json');
  assert.equal(seen[0]!.headers['x-client'], 'test');
  answer = (response) => response.writeHead(204).end();
  assert.equal(await tea.json('x', { method: 'DELETE' }), undefined);
  answer = (response) => response.writeHead(304).end();
  for (const method of ['GET', 'POST'])
    await assert.rejects(tea.json('x', { method }), /^ToolError: Tea answered 304 to/);
});

test('a request to another origin is not sent', async () => {
  const tea = call({ token: { value: 'secret', help: '' } });
  for (const other of ['http://localhost:1/x', 'https://example.com/', url.replace('http:', 'https:')])
    await assert.rejects(tea.fetch(other), /which is not Tea/);
  assert.equal(seen.length, 0);
});

test('a token can be a parameter, and is in no error', async () => {
  const token = 'key+with/signs=';
  const add = (key: string, to: { url: URL }): void => to.url.searchParams.set('key', key);
  const tea = call({ token: { value: token, help: '', add }, limits: { retries: 0 } });
  answer = (response, request) => {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { message: `You sent ${request.url} with ${token}` } }));
  };
  const error = await tea.json('x').catch((error: Error) => error);
  assert.match((error as Error).message, /400 to GET \/x: You sent \/x\?key=\[token\] with \[token\]\./);
  assert.equal(new URL(seen[0]!.url!, url).searchParams.get('key'), token);
  answer = (response) => response.destroy();
  const lost = (await tea.json('x').catch((error: Error) => error)) as Error;
  assert.ok(!`${lost.stack} ${JSON.stringify(lost)}`.includes('key'), lost.stack);
});

test('a token that the service repeats in headers or in the place of a redirect is removed', async () => {
  const token = 'key+with/signs=';
  const tea = call({ token: { value: token, help: '' } });
  answer = (response) => response.writeHead(200, { 'x-echo': `a ${token} b`, 'set-cookie': 'c=1' }).end('{}');
  const { headers } = await tea.send('x');
  assert.deepEqual([headers.get('x-echo'), headers.get('set-cookie')], ['a [token] b', 'c=1']);
  answer = (response) => response.writeHead(302, { location: `/${encodeURIComponent(token)}/${token}` }).end();
  const error = (await tea.json('x', { method: 'POST' }).catch((error: Error) => error)) as Error;
  assert.match(error.message, /moved to \/\[token\]\/\[token\]\. Nothing was changed/);
});

test('after a change, an answer that is no use says that the change may have been made', async () => {
  const shape = z.object({ id: z.number() });
  const tea = call({ limits: { maxBytes: 100, retries: 0 } });
  const error = async (method: string) => {
    const change = tea.json('x', { method }).then((value) => pick('Tea', shape, pick('Tea', z.looseObject({}), value)));
    return ((await change.catch((error: Error) => error)) as Error).message;
  };
  for (const [status, body, expected] of [
    [200, '<html>', /not JSON/],
    [200, '{"id":"7"}', /unexpected: id/],
    [200, JSON.stringify('x'.repeat(200)), /more than 100 bytes/],
    [502, '<html>', /problem of its own/],
    [303, '', /refers to \/done for the result/],
  ] as const) {
    answer = (response) => response.writeHead(status, status === 303 ? { location: '/done' } : {}).end(body);
    const message = await error('POST');
    assert.match(message, expected);
    assert.match(message, /The change may have been made: look before you repeat it\.$/);
    if (status !== 303) assert.doesNotMatch(await error('GET'), /change/);
  }
});

test('a token comes from the first variable that has one, and is checked before it is sent', () => {
  assert.equal(tokenFromEnvironment(['A', 'B'], { A: '  ', B: ' b\n' }), 'b');
  assert.equal(tokenFromEnvironment(['A'], {}), undefined);
  assert.throws(
    () => tokenFromEnvironment(['A'], { A: 'sec\nret' }),
    (error: Error) => error.message.startsWith('A is not a token') && !error.message.includes('ret'),
  );
});

test('kept answers are bounded in number and size, and the least recently used ones are dropped', () => {
  const cache = new ReplyCache();
  const reply = (bytes: number, etag = true) => ({
    status: 200,
    headers: new Headers(etag ? { etag: '"1"' } : {}),
    bytes: new Uint8Array(bytes),
  });
  for (let at = 0; at < 1_000; at++) {
    cache.put(`k${at}`, reply(10));
    cache.get('k0');
  }
  assert.equal(cache.size, 500);
  assert.ok(cache.get('k0') !== undefined && cache.get('k1') === undefined);
  for (let at = 0; at < 40; at++) cache.put(`large${at}`, reply(1_000_000));
  assert.ok(cache.size <= 16, String(cache.size));
  cache.put('huge', reply(2_000_000));
  cache.put('without', reply(1, false));
  assert.deepEqual([cache.get('huge'), cache.get('without')], [undefined, undefined]);
});

test('an answer is used again only if the service says that it has not changed', async () => {
  answer = (response, request) => {
    response.setHeader('etag', '"1"');
    if (request.headers['if-none-match'] === '"1"' && seen.length === 2) response.writeHead(304).end();
    else response.end(`${seen.length}`);
  };
  const tea = call();
  assert.deepEqual([await tea.json('x'), await tea.json('x'), await tea.json('x')], [1, 1, 3]);
  assert.equal(await tea.json('y'), 4);
  assert.equal(seen[3]!.headers['if-none-match'], undefined);
});

test('the message of an error is found in the usual places, and is never long', () => {
  for (const [body, expected] of [
    ['{"message":"a","errors":[{"message":"b"},{"resource":"R","code":"c"},"d"]}', 'a; b; R c; d'],
    ['{"error":{"message":"a"}}', 'a'],
    ['{"error":"a","error_description":"b"}', 'b'],
    ['{"ok":false,"error":"channel_not_found"}', 'channel_not_found'],
    ['{"detail":"a"}', 'a'],
    ['{"error":{"code":"X","detail":"a"},"type":"ErrorResponse"}', 'a'],
    ['{"error_message":"a","status":"REQUEST_DENIED"}', 'REQUEST_DENIED: a'],
    ['{"status":"NOT_FOUND"}', 'NOT_FOUND'],
    ['{"status":"404"}', undefined],
    ['{"message":["a","b"]}', 'a; b'],
    ['{"message":{"name":["a","b"],"base":"c"}}', 'name: a, b; base: c'],
    ['<html>', undefined],
    ['null', undefined],
    ['{"message":7}', undefined],
    ['{"message":{"tags":{"a":["b"]}}}', 'tags: {"a":["b"]}'],
    ['{"message":[{"toString":1,"valueOf":1}]}', '{"toString":1,"valueOf":1}'],
    ['{"detail":{"code":"sso-required","message":"Use SSO"}}', 'code: sso-required; message: Use SSO'],
    [`{"message":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, undefined],
  ] as const)
    assert.equal(messageIn(body), expected, body);
  assert.equal(messageIn(JSON.stringify({ message: 'x'.repeat(5_000) }))!.length, 600);
});

test('an error of this layer is found inside the error of a client library', () => {
  const error = new ApiError('x', 404);
  assert.equal(apiErrorIn(new Error('a', { cause: new Error('b', { cause: error }) })), error);
  assert.equal(apiErrorIn(new Error('a')), undefined);
  assert.equal(apiErrorIn('a'), undefined);
});

test('pages are read until there are enough items or no next page, also past an empty one', async () => {
  const pages = [[2, 3], [], [4, 5], [6]];
  const read = async (page: number) => ({ items: pages[page - 1]!, hasNext: page < pages.length });
  const keyOf = (item: number) => item;
  assert.deepEqual(await collectPages({ read, keyOf, maxItems: 3 }), { items: [2, 3, 4], isCut: true });
  assert.deepEqual(await collectPages({ read, keyOf, maxItems: 50 }), { items: [2, 3, 4, 5, 6], isCut: false });
});

test('a service that gives the same page again and again is not read forever', async () => {
  let count = 0;
  const read = async () => {
    if (++count > 100) throw new Error('It is read forever');
    return { items: [1, 2], hasNext: true };
  };
  assert.deepEqual(await collectPages({ read, keyOf: (item) => item, maxItems: 50 }), { items: [1, 2], isCut: true });
});

test('a Link header is searched for the next page only', () => {
  const link = (value: string) => hasNextLink(new Headers({ link: value }));
  assert.ok(link('<https://x/?page=2>; rel="next", <https://x/?page=9>; rel="last"'));
  assert.ok(link('<https://x/?page=1>; rel=prev, <https://x/?page=3>; rel=next'));
  assert.ok(!link('<https://x/?rel="next">; rel="last"'));
  assert.ok(!hasNextLink(new Headers()));
});

test('an answer without a required field says which one', () => {
  const shape = z.object({ a: z.object({ b: z.number() }) });
  assert.deepEqual(pick('Tea', shape, { a: { b: 1, c: 2 } }), { a: { b: 1 } });
  assert.throws(() => pick('Tea', shape, { a: {} }), /^ToolError: Tea answered something unexpected: a\.b: /);
});
