// The parts of `npm run originals` that need no program of others.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { differences } from './differences.ts';
import { startRecorder } from './recorder.ts';

test('answers differ in values, in numbers of items, and in fields that only the original has', () => {
  const original = { items: [{ id: 1, name: 'a', node: 'x' }] };
  assert.deepEqual(differences({ items: [{ id: 1, name: 'a', more: true }] }, original, /^node$/), []);
  assert.deepEqual(differences({ items: [{ id: 1, name: 'b' }] }, original, /^node$/), [
    '$.items[0].name: "b", original: "a"',
  ]);
  assert.deepEqual(differences({ items: [{ id: 1, name: 'a' }] }, original, undefined), [
    '$.items[0].node: only in the original',
  ]);
  assert.deepEqual(differences({ items: [] }, original, /./), ['$.items: 0 items, original: 1']);
  assert.deepEqual(differences({ other: 1 }, original, /./), ['$: no common field']);
  assert.deepEqual(differences('failed', original, /./).length, 1);
});

test('a recorded request has its parameters and members in a fixed order, and is passed on', async () => {
  const received: string[] = [];
  const service = createServer((request, response) => {
    received.push(request.url!);
    request.resume();
    response.writeHead(201, { 'x-any': '1' }).end('made');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => service.once('listening', resolve));
  const recorder = await startRecorder(
    `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    (path) => path.replace('old', 'new'),
    /^left/,
  );
  const reply = await fetch(`${recorder.url}/old/a%2Fb?z=1&left=3&a=2`, {
    method: 'POST',
    body: '{ "b": 1, "a": [{ "d": 2, "c": 3 }] }',
  });
  assert.deepEqual([reply.status, reply.headers.get('x-any'), await reply.text()], [201, '1', 'made']);
  assert.deepEqual(received, ['/new/a%2Fb?z=1&left=3&a=2']);
  assert.deepEqual(recorder.taken(), ['POST /new/a/b?a=2&z=1 {"a":[{"c":3,"d":2}],"b":1}']);
  assert.deepEqual(recorder.taken(), []);
  recorder.stop();
  service.close();
  service.closeAllConnections();
});
