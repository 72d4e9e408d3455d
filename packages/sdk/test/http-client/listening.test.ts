// The stream of a session for requests and notifications of the server: when it is opened and reopened.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Clock } from '../../src/client/clock.ts';
import { connect } from '../../src/entries/client.ts';
import { event, legacyServer, stream, until } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
function isCall(seen: { message: any }): boolean {
  return seen.message?.method === 'tools/call';
}
const asked = { elicit: () => ({ action: 'decline' as const }) };

/** A clock on which waits of exactly these lengths end at once, and all others never end. */
function clockThatEnds(...waits: number[]): Clock {
  return {
    now: () => 0,
    setTimeout: (run, ms) => (waits.includes(ms) ? setTimeout(run, 0) : undefined),
    clearTimeout: (timer) => clearTimeout(timer as never),
  };
}

/** A server that holds the headers of the stream back. */
async function withheldStream() {
  const order: string[] = [];
  let held: ServerResponse | undefined;
  const server = await legacyServer((seen, response) => {
    if (isCall(seen)) order.push('call');
    if (seen.method !== 'GET') return undefined;
    held = response;
    return true;
  });
  return { server, order, opened: () => held };
}

test("a client that accepts requests makes no call before the server has opened the session's stream", async () => {
  const { server, order, opened } = await withheldStream();
  const connecting = connect(server.url, { eras, clock: clockThatEnds(500), ...asked });
  const calling = connecting.then((client) => client.call('echo'));
  await until(() => opened() !== undefined);
  // Requests that the client would send without the stream would have arrived by now.
  for (let turn = 0; turn < 20; turn++) await fetch(server.url, { method: 'DELETE' });
  order.push('stream');
  stream(opened()!);
  assert.equal(await calling, 'done');
  assert.deepEqual(order, ['stream', 'call']);
  await (await connecting).close();
});

test('a client that accepts requests continues as soon as the server answers that it has no stream', async () => {
  const { server, order, opened } = await withheldStream();
  const connecting = connect(server.url, { eras, clock: clockThatEnds(), ...asked });
  await until(() => opened() !== undefined);
  opened()!.writeHead(405).end();
  await using client = await connecting;
  assert.equal(await client.call('echo'), 'done');
  assert.deepEqual(order, ['call']);
});

test('a server that sends the headers of its stream with the first event is used after a while, and its events arrive', async () => {
  const { server, opened } = await withheldStream();
  await using client = await connect(server.url, { eras, clock: clockThatEnds(5_000), ...asked });
  assert.equal(await client.call('echo'), 'done');
  const watch = client.watch({ list: 'tools' })[Symbol.asyncIterator]();
  const changed = watch.next();
  stream(opened()!);
  opened()!.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
  assert.deepEqual((await changed).value, { list: 'tools', missed: false });
});

test('a client that accepts no requests, or has no session, waits for the stream for at most half a second', async () => {
  for (const [session, options] of [
    ['session-1', {}],
    ['no session id', asked],
  ] as const) {
    const server = await legacyServer((seen) => seen.method === 'GET' || undefined, { session });
    await using client = await connect(server.url, { eras, clock: clockThatEnds(500), ...options });
    assert.equal(await client.call('echo'), 'done');
  }
});

test('a client that is closed while it waits for the stream is closed at once, and opens no other', async () => {
  const { server, opened } = await withheldStream();
  const closing = new AbortController();
  const connecting = connect(server.url, { eras, clock: clockThatEnds(), signal: closing.signal, ...asked });
  await until(() => opened() !== undefined);
  closing.abort();
  await assert.rejects(connecting, { name: 'AbortError' });
  await server.seen.find(({ method }) => method === 'GET')!.dropped;
});
