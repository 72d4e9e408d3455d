// Remote servers that are unavailable for a while, for example behind an ingress while they are replaced.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Clock } from '../../src/client/clock.ts';
import { connect, ConnectionError } from '../../src/entries/client.ts';
import { type Answer, event, legacyServer, modernServer, result, scripted, stream, until } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
function isPost(seen: { message: any }, method: string): boolean {
  return seen.message?.method === method;
}

/** How long a client waits for an answer to its first request: these timers are not shortened. */
const WAITS_FOR_ANSWER: readonly number[] = [4_000, 20_000, 60_000_000];

/** A clock on which the pauses between attempts are short. */
const quickClock: Clock = {
  now: () => performance.now() * 5_000,
  setTimeout: (run, ms) => setTimeout(run, WAITS_FOR_ANSWER.includes(ms) ? ms : ms / 5_000),
  clearTimeout: (timer) => clearTimeout(timer as never),
};

/** A clock that stands still, for behaviour that does not depend on waiting. */
const standingClock: Clock = { now: () => 0, setTimeout: () => undefined, clearTimeout() {} };

/** A server of an era that can be unavailable: then a stand-in answers. */
async function replaceable(era: 'legacy' | 'modern', standIn: (response: ServerResponse) => void) {
  const state = { away: false, refused: 0 };
  const answer: Answer = (seen, response) => {
    if (state.away) {
      state.refused++;
      standIn(response);
      return true;
    }
    if (seen.method === 'GET' && era === 'legacy') {
      stream(response);
      streams.add(response);
      return true;
    }
    if (!isPost(seen, 'subscriptions/listen')) return undefined;
    stream(response);
    streams.add(response);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': seen.message.id };
    const { notifications } = seen.message.params;
    response.write(
      event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } }),
    );
    return true;
  };
  const streams = new Set<ServerResponse>();
  const server = await (era === 'legacy' ? legacyServer(answer) : modernServer(answer));
  const leave = (): void => {
    state.away = true;
    for (const response of streams) response.destroy();
    streams.clear();
  };
  return { server, state, streams, leave, comeBack: () => void (state.away = false) };
}

const REPLACEMENTS: readonly [string, (response: ServerResponse) => void][] = [
  ['404', (response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('default backend - 404')],
  ['503', (response) => response.writeHead(503).end()],
  ['no answer', (response) => response.destroy()],
];

for (const era of ['legacy', 'modern'] as const)
  for (const [what, standIn] of REPLACEMENTS) {
    test(`each call to a remote server fails while it is down, and the first one after that works: ${era}, ${what}`, async () => {
      const { server, state, leave, comeBack } = await replaceable(era, standIn);
      await using client = await connect(server.url, { eras, clock: standingClock });
      assert.equal(await client.call('echo'), 'done');
      leave();
      for (let count = 0; count < 8; count++) {
        const before = state.refused;
        await assert.rejects(client.call('echo'), (error) => {
          assert.ok(error instanceof ConnectionError, String(error));
          assert.match(
            error.message,
            what === 'no answer' ? /could not be reached|was lost/ : new RegExp(`status ${what}`),
          );
          return true;
        });
        assert.ok(state.refused > before, 'the server was asked');
      }
      comeBack();
      assert.equal(await client.call('echo'), 'done');
    });

    test(`watches of a remote server continue when it is back: ${era}, ${what}`, async () => {
      const { server, state, streams, leave, comeBack } = await replaceable(era, standIn);
      const given: string[] = [];
      await using client = await connect(server.url, {
        eras,
        clock: quickClock,
        timeout: 60_000_000,
        log: ({ event: name }) => given.push(name),
      });
      const watch = client.watch({ uri: 'note://a' });
      await watch.ready;
      await until(() => streams.size > 0, 'the client listens');
      leave();
      // More often than a process would be started again.
      await until(() => state.refused >= 20, 'the client tried');
      comeBack();
      await until(() => streams.size > 0, 'the client listens again');
      const changes = watch[Symbol.asyncIterator]();
      // A session that the server still knows continues; a new session may have missed changes.
      if (era === 'modern' || what === '404')
        assert.deepEqual((await changes.next()).value, { uri: 'note://a', missed: true });
      else {
        const changed = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://a' } };
        for (const response of streams) response.write(event(changed));
        assert.deepEqual((await changes.next()).value, { uri: 'note://a', missed: false });
      }
      assert.equal(await client.call('echo'), 'done');
      assert.ok(!given.includes('given-up'));
    });
  }

test('a watch is renewed even if the pause after a failed attempt ends before any code waits for it', async () => {
  const { server, state, leave, comeBack } = await replaceable('legacy', REPLACEMENTS[0]![1]);
  // As on a busy machine: much time passes between two readings of the clock.
  let time = 0;
  const clock: Clock = { ...quickClock, now: () => (time += 120_000) };
  await using client = await connect(server.url, { eras, clock, timeout: 1e12, maxTimeout: 1e12 });
  const watch = client.watch({ uri: 'note://a' });
  await watch.ready;
  leave();
  await until(() => state.refused >= 20, 'the client tried again and again');
  comeBack();
  const changes = watch[Symbol.asyncIterator]();
  assert.deepEqual((await changes.next()).value, { uri: 'note://a', missed: true });
});

test('a call does not wait for the next attempt that a watch makes', async () => {
  const { server, leave, comeBack } = await replaceable('legacy', REPLACEMENTS[0]![1]);
  await using client = await connect(server.url, { eras, clock: standingClock });
  await client.watch({ uri: 'note://a' }).ready;
  leave();
  for (let count = 0; count < 3; count++) await assert.rejects(client.call('echo'), ConnectionError);
  comeBack();
  assert.equal(await client.call('echo'), 'done');
});

test('a watch that begins while the server is unreachable starts once it is reachable', async () => {
  let away = true;
  const server = await legacyServer((seen, response) => {
    if (!isPost(seen, 'resources/subscribe') || !away) return undefined;
    response.destroy();
    return true;
  });
  await using client = await connect(server.url, { eras, clock: quickClock, timeout: 60_000_000 });
  const watch = client.watch({ uri: 'note://a' });
  await until(() => server.posts('resources/subscribe').length >= 4, 'the client tried');
  away = false;
  await watch.ready;
  assert.equal(server.posts('initialize').length, 1);
});

test('a resource that is no longer watched is not subscribed to when the server is back', async () => {
  let away = true;
  const server = await legacyServer((seen, response) => {
    if (!isPost(seen, 'resources/subscribe') || !away) return undefined;
    response.destroy();
    return true;
  });
  let retry: (() => void) | undefined;
  const clock: Clock = {
    ...standingClock,
    setTimeout(run) {
      retry = run;
      return run;
    },
    clearTimeout(timer) {
      if (timer === retry) retry = undefined;
    },
  };
  await using client = await connect(server.url, { eras, clock });
  retry = undefined;
  const watch = client.watch({ uri: 'note://a' });
  await until(() => retry !== undefined && server.posts('resources/subscribe').length === 2, 'the client tried');
  watch.close();
  away = false;
  await until(() => server.posts('resources/unsubscribe').length === 1);
  assert.equal(server.posts('resources/subscribe').length, 2);
});

for (const [what, status] of [
  ['is gone', 404],
  ['is refused for a while', 403],
  ['cannot be had for a while', 400],
] as const)
  test(`a listening stream that was open and ${what} is opened again without a call (status ${status})`, async () => {
    let gets = 0;
    let session = 0;
    const server = await legacyServer((seen, response) => {
      if (isPost(seen, 'initialize')) session++;
      if (seen.method !== 'GET') return undefined;
      gets++;
      if (gets > 1 && gets < 4 && session === 1) response.writeHead(status).end();
      else stream(response);
      if (gets === 1) response.end();
      else if (response.headersSent && response.statusCode === 200)
        response.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
      return true;
    });
    await using client = await connect(server.url, { eras, clock: quickClock, timeout: 60_000_000 });
    for await (const { missed } of client.watch({ list: 'tools' })) if (!missed) break;
    // A server that does not know the session begins a new one; any other keeps it.
    assert.equal(session, status === 404 ? 2 : 1);
  });

test('a client reconnects to a remote server of 2024-11-05 when it is back', async () => {
  let say: ((message: unknown) => void) | undefined;
  let hangUp = (): void => {};
  let away = false;
  const server = await scripted((seen, response) => {
    if (away) return void response.writeHead(404).end();
    if (seen.method === 'GET') {
      stream(response);
      response.write('event: endpoint\ndata: /messages?sessionId=7\n\n');
      say = (message) => response.write(`event: message\n${event(message)}`);
      hangUp = () => response.destroy();
      return undefined;
    }
    if (!seen.path.startsWith('/messages')) return void response.writeHead(405).end();
    response.writeHead(202).end('Accepted');
    const { method, id } = seen.message;
    const agreed = {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'o', version: '1' },
    };
    if (id !== undefined)
      say!(result(seen, method === 'initialize' ? agreed : { content: [{ type: 'text', text: 'old' }] }));
    return undefined;
  });
  await using client = await connect(server.url, { eras, clock: standingClock });
  assert.equal(await client.call('echo'), 'old');
  away = true;
  hangUp();
  for (let count = 0; count < 8; count++) await assert.rejects(client.call('echo'), ConnectionError);
  away = false;
  assert.equal(await client.call('echo'), 'old');
});
