// A session that the server forgets during a watch: every order in which the answers can arrive.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Clock } from '../../src/client/clock.ts';
import { connect, ConnectionError } from '../../src/entries/client.ts';
import { type Answer, failure, json, legacyServer, result, type Seen, stream, until } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
function isPost(seen: Seen, method: string): boolean {
  return seen.message?.method === method;
}
function sessionOf(seen: Seen): string {
  return String(seen.headers['mcp-session-id']);
}

/** How long a client waits for an answer to its first request. */
const PROBE_MS: readonly number[] = [4_000, 20_000];
/** A clock with short pauses on which no request times out. */
const clock: Clock = {
  now: () => performance.now() * 1_000,
  setTimeout: (run, ms) => (PROBE_MS.includes(ms) || ms > 1e9 ? undefined : setTimeout(run, ms / 1_000)),
  clearTimeout: (timer) => clearTimeout(timer as never),
};
const options = { eras, clock, timeout: 1e12, maxTimeout: 1e12 };

/** A server that names its sessions s1, s2, … and answers 404 in those that it does not know. `answer` comes first. */
async function forgetful(answer: Answer = () => undefined) {
  const known = new Set<string>();
  const streams = new Map<string, ServerResponse>();
  let count = 0;
  const server = await legacyServer(async (seen, response) => {
    if ((await answer(seen, response)) !== undefined) return true;
    const session = seen.headers['mcp-session-id'];
    if (isPost(seen, 'initialize')) {
      const id = `s${++count}`;
      known.add(id);
      const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
      const agreed = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } };
      json(response, result(seen, agreed), 200, { 'mcp-session-id': id });
    } else if (session !== undefined && !known.has(sessionOf(seen))) response.writeHead(404).end();
    else if (seen.method !== 'GET') return undefined;
    else if (session === undefined) response.writeHead(400).end();
    else {
      stream(response);
      streams.set(sessionOf(seen), response);
    }
    return true;
  });
  return { server, streams, known };
}

/** Keeps the answers of some requests back. */
function withheld(isMeant: (seen: Seen) => boolean) {
  const held: { readonly seen: Seen; readonly response: ServerResponse }[] = [];
  const answer: Answer = (seen, response) => (isMeant(seen) ? held.push({ seen, response }) : undefined);
  return { held, answer };
}

const WATCHED = [
  ['tools', { list: 'tools' }],
  ['note://a', { uri: 'note://a' }],
] as const;

for (const [what, target] of WATCHED) {
  const missed = { ...target, missed: true };
  for (const first of ['the stream', 'a call'])
    test(`one session follows when a call and the stream meet with 404 at once, ${first} first: ${what}`, async () => {
      const { held, answer } = withheld((seen) => isOld(seen) && (seen.method === 'GET' || isPost(seen, 'tools/call')));
      let forgets = false;
      const isOld = (seen: Seen): boolean => forgets && sessionOf(seen) === 's1';
      const { server, streams, known } = await forgetful(answer);
      await using client = await connect(server.url, options);
      const watch = client.watch(target);
      await watch.ready;
      await until(() => streams.has('s1'), 'the client listens');
      forgets = true;
      known.clear();
      streams.get('s1')!.destroy();
      const calling = client.call('echo');
      await until(() => held.length === 2, 'both requests have arrived');
      held.sort(({ seen }) => ((seen.method === 'GET') === (first === 'the stream') ? -1 : 1));
      for (const { response } of held) response.writeHead(404).end();
      // A call that was in progress when the session ended may have been processed, so it is not sent again.
      const outcome = await calling.catch((error: unknown) => error);
      assert.ok(outcome === 'done' || outcome instanceof ConnectionError, String(outcome));
      assert.deepEqual((await watch[Symbol.asyncIterator]().next()).value, missed);
      await until(() => streams.has('s2'), 'the client listens again');
      assert.equal(server.posts('initialize').length, 2);
    });

  test(`the stream of an old session that is answered late changes nothing in the new one: ${what}`, async () => {
    let forgets = false;
    const { held, answer } = withheld((seen) => forgets && seen.method === 'GET' && sessionOf(seen) === 's1');
    const { server, streams, known } = await forgetful(answer);
    await using client = await connect(server.url, options);
    const watch = client.watch(target);
    await watch.ready;
    await until(() => streams.has('s1'), 'the client listens');
    forgets = true;
    known.clear();
    streams.get('s1')!.destroy();
    await until(() => held.length === 1, 'the client asks for the stream again');
    assert.equal(await client.call('echo'), 'done');
    held[0]!.response.writeHead(404).end();
    await held[0]!.seen.dropped;
    assert.deepEqual((await watch[Symbol.asyncIterator]().next()).value, missed);
    await until(() => streams.has('s2'), 'the client listens again');
    assert.equal(await client.call('echo'), 'done');
    assert.equal(server.posts('initialize').length, 2);
  });

  for (const [step, isStep] of [
    ['the notification that begins it', (seen) => isPost(seen, 'notifications/initialized')],
    ['its stream', (seen) => seen.method === 'GET'],
    ['what follows its stream', (seen) => seen.method === 'POST' && !isPost(seen, 'notifications/initialized')],
  ] as const satisfies readonly (readonly [string, (seen: Seen) => boolean])[])
    test(`a new session that the server forgets before ${step} is followed by another: ${what}`, async () => {
      const { server, streams, known } = await forgetful((seen) => {
        if (sessionOf(seen) === 's2' && isStep(seen)) known.delete('s2');
      });
      await using client = await connect(server.url, options);
      const watch = client.watch(target);
      await watch.ready;
      await until(() => streams.has('s1'), 'the client listens');
      known.clear();
      streams.get('s1')!.destroy();
      // For a list nothing is sent: the lost session is noticed only when the stream ends, too.
      if (what === 'tools' && step === 'what follows its stream') {
        await until(() => streams.has('s2'), 'the client listens again');
        known.clear();
        streams.get('s2')!.destroy();
      }
      await until(() => streams.has('s3'), 'the client listens in a third session');
      assert.deepEqual((await watch[Symbol.asyncIterator]().next()).value, missed);
      assert.equal(await client.call('echo'), 'done');
    });
}

test('a resource that is watched first in a session the server has forgotten is watched in the next', async () => {
  const { server, known } = await forgetful();
  await using client = await connect(server.url, options);
  known.clear();
  await client.watch({ uri: 'note://a' }).ready;
  assert.deepEqual(server.posts('resources/subscribe').map(sessionOf), ['s1', 's2']);
});

test('a server that comes back while a client tries the transport of 2024-11-05 is reached by the next attempt', async () => {
  let away = false;
  const { held, answer } = withheld(
    (seen) => away && seen.method === 'GET' && seen.headers['mcp-session-id'] === undefined,
  );
  const { server, streams, known } = await forgetful((seen, response) => {
    if (answer(seen, response) !== undefined) return true;
    return away ? response.writeHead(404).end() : undefined;
  });
  await using client = await connect(server.url, options);
  const watch = client.watch({ uri: 'note://a' });
  await watch.ready;
  await until(() => streams.has('s1'), 'the client listens');
  away = true;
  known.clear();
  streams.get('s1')!.destroy();
  await until(() => held.length === 1, 'the client tries the old transport');
  away = false;
  // It never sends an endpoint, so the client gives up.
  stream(held[0]!.response);
  assert.deepEqual((await watch[Symbol.asyncIterator]().next()).value, { uri: 'note://a', missed: true });
  assert.equal(await client.call('echo'), 'done');
});

for (const [how, answerPing] of [
  ['answers ping', () => undefined],
  ['does not know ping', (seen, response) => (json(response, failure(seen, -32601, 'Method not found'), 404), true)],
] as const satisfies readonly (readonly [string, Answer])[])
  test(`a server that answers 404 because it has no stream, and ${how}, keeps its session`, async () => {
    const { server } = await forgetful((seen, response) => {
      if (seen.method === 'GET') return response.writeHead(404).end();
      return isPost(seen, 'ping') ? answerPing(seen, response) : undefined;
    });
    await using client = await connect(server.url, options);
    await until(() => server.posts('ping').length === 1, 'the client asks whether the session is known');
    await server.posts('ping')[0]!.dropped;
    await client.watch({ uri: 'note://a' }).ready;
    for (let count = 0; count < 3; count++) assert.equal(await client.call('echo'), 'done');
    assert.equal(server.posts('initialize').length, 1);
    assert.equal(server.seen.filter(({ method }) => method === 'GET').length, 1);
  });

test('a client requests the stream again if it was refused with 404 and a ping did not show whether the session exists', async () => {
  let gets = 0;
  const { server, streams } = await forgetful((seen, response) => {
    if (seen.method === 'GET' && ++gets === 1) return response.writeHead(404).end();
    return isPost(seen, 'ping') ? response.destroy() : undefined;
  });
  await using client = await connect(server.url, options);
  await until(() => streams.has('s1'), 'the client listens');
  assert.equal(await client.call('echo'), 'done');
});
