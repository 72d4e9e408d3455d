import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import { NodeHttpReply } from './node-http-message.ts';
import { WriteBatch } from './write-batch.ts';

async function listen(t: TestContext, server: Server): Promise<string> {
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('over HTTP/2, nothing is written to the stream of a response without a body', async (t) => {
  const batch = new WriteBatch();
  const errors: Error[] = [];
  const server = createHttp2Server((request, response) => {
    response.stream.on('error', (error) => errors.push(error));
    new NodeHttpReply(response as unknown as ServerResponse, batch).send(Number(request.url.slice(1)), {});
  });
  const client = connect(await listen(t, server));
  t.after(() => client.close());
  for (const status of [200, 202, 204])
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const stream = client.request({ ':path': `/${status}`, ':method': method });
      const received = await new Promise((resolve, reject) => {
        stream.on('response', (headers) => stream.once('close', () => resolve(headers[':status'])));
        stream.on('error', reject).resume().end();
      });
      assert.equal(received, status, method);
    }
  assert.deepEqual(errors, []);
});

test('a response whose headers are invalid is not sent, so that it can be ended in another way', async (t) => {
  const server = createServer((_, response) => {
    const reply = new NodeHttpReply(response, new WriteBatch());
    assert.throws(() => reply.send(200, { 'x-name': 'a\nb' }, 'text'), { code: 'ERR_INVALID_CHAR' });
    assert.equal(reply.closed, false);
    reply.send(500, {}, 'other text');
    assert.equal(reply.closed, true);
  });
  const url = await listen(t, server);
  const status = await new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent: false }, (response) => resolve(response.resume().statusCode));
    request.on('error', reject).end();
  });
  assert.equal(status, 500);
});

for (const closes of [false, true])
  test(`a body in pieces is sent with its length in bytes${closes ? ', also before the connection is closed' : ''}`, async (t) => {
    const long = 'é'.repeat(70_000);
    const server = createServer((_, response) =>
      new NodeHttpReply(response, new WriteBatch()).send(200, {}, ['"ü', long, '😀"'], closes),
    );
    const answer = await fetch(await listen(t, server), { method: 'POST', body: 'not read' });
    assert.equal(answer.headers.get('content-length'), '140008');
    assert.ok((await answer.text()) === `"ü${long}😀"`);
  });
