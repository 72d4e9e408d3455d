import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startGuardProxy } from './guard-proxy.ts';
import { createOrigins } from './origins.ts';

test('a name whose addresses are not found in time is not connected to, and it is known why', async () => {
  const resolve = (() => new Promise(() => {})) as unknown as Parameters<typeof createOrigins>[1];
  const proxy = await startGuardProxy(createOrigins(['*'], resolve), 50);
  after(() => proxy.close());
  const browser = connect(proxy.port, '127.0.0.1');
  await once(browser, 'connect');
  const name = Buffer.from('slow.example');
  browser.write(Uint8Array.of(5, 1, 0));
  browser.write(Buffer.concat([Uint8Array.of(5, 1, 0, 3, name.length), name, Uint8Array.of(0, 80)]));
  const answer = await buffer(browser);
  // No authentication, then: the host cannot be reached.
  assert.deepEqual([...answer.subarray(0, 4)], [5, 0, 5, 4]);
  assert.equal(
    proxy.failureOf({ hostname: 'slow.example', port: 80 }),
    'the addresses of slow.example were not found within 0.05 seconds',
  );
});
