import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, beforeEach, test } from 'node:test';
import { ApiError } from './api-error.ts';
import { type AwsRequest, createAwsHandler } from './aws-handler.ts';

interface Seen {
  readonly target: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}
let seen: Seen[] = [];
let statuses: number[] = [];
const service = createServer(async (request, response) => {
  const { url = '', headers } = request;
  seen.push({ target: url, headers, body: String(await buffer(request)) });
  response.writeHead(statuses.shift() ?? 200, { 'x-answer': 'yes' }).end('{"message":"It says why."}');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => service.once('listening', resolve));
after(() => {
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  seen = [];
  statuses = [];
});

const { port } = service.address() as AddressInfo;
const request: AwsRequest = {
  method: 'POST',
  protocol: 'http:',
  hostname: '127.0.0.1',
  port,
  path: '/a%20b/c',
  headers: {
    host: `127.0.0.1:${port}`,
    'content-length': '3',
    authorization: 'AWS4-HMAC-SHA256 x',
    'x-amz-date': 'now',
  },
  body: Buffer.from('abc'),
};
const call = { signal: new AbortController().signal };
const clock = { now: () => 0, sleep: async () => {} };

test('a request is sent as it was signed, and its answer is given to the SDK', async () => {
  const handler = createAwsHandler({ service: 'Tea' });
  const query = { tags: ["it's", '(a)*'], empty: null, 'ä b': '1+2' };
  const { response } = await handler.handle({ ...request, query }, { call });
  const { target, headers, body } = seen[0]!;
  assert.equal(target, '/a%20b/c?tags=it%27s&tags=%28a%29%2A&empty=&%C3%A4%20b=1%2B2');
  assert.deepEqual(
    [headers['host'], headers['content-length'], headers['authorization'], headers['x-amz-date'], body],
    [`127.0.0.1:${port}`, '3', 'AWS4-HMAC-SHA256 x', 'now', 'abc'],
  );
  assert.deepEqual([response.statusCode, response.headers['x-answer']], [200, 'yes']);
  assert.equal(await new Response(response.body).text(), '{"message":"It says why."}');
});

test('a refusal rejects with an ApiError', async () => {
  const handler = createAwsHandler({ service: 'Tea' });
  statuses = [400];
  await assert.rejects(
    handler.handle(request, { call }),
    (error) => error instanceof ApiError && error.status === 400 && error.message.includes('It says why.'),
  );
});

test('a request that only reads is repeated, whatever its method, and no other one', async () => {
  for (const [isRead, count] of [
    [true, 3],
    [false, 1],
  ] as const) {
    seen = [];
    statuses = [500, 500];
    const handler = createAwsHandler({ service: 'Tea', clock, isRead: () => isRead });
    await handler.handle(request, { call }).catch(() => {});
    assert.equal(seen.length, count);
  }
});

test('the signals of the call and of the SDK end a request', async () => {
  const stopped = AbortSignal.abort();
  const handler = createAwsHandler({ service: 'Tea' });
  await assert.rejects(handler.handle(request, { call: { signal: stopped } }), { name: 'AbortError' });
  await assert.rejects(handler.handle(request, { call, abortSignal: stopped }), { name: 'AbortError' });
  assert.equal(seen.length, 0);
});

test('no other origin than the first one is sent a request', async () => {
  const handler = createAwsHandler({ service: 'Tea' });
  await handler.handle(request, { call });
  await assert.rejects(handler.handle({ ...request, hostname: 'localhost' }, { call }), /which is not Tea/);
  assert.equal(seen.length, 1);
});
