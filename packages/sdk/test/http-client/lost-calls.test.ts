// Errors of calls whose requests were lost, and the effect of a stuck connection on other calls.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { type Clock, systemClock } from '../../src/client/clock.ts';
import { connect, ConnectionError } from '../../src/entries/client.ts';
import { type Answer, event, json, legacyServer, modernServer, result, scripted, stream, until } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const reader = { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const unknown = { name: 'ConnectionError', processed: 'unknown' };

/** Answers the first call in one way, and all later ones in another. */
function first(one: (response: ServerResponse) => void, later: (response: ServerResponse) => void): Answer {
  let calls = 0;
  return (seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    (calls++ === 0 ? one : later)(response);
    return true;
  };
}

for (const [what, lose] of [
  ['was lost', (response: ServerResponse) => response.destroy()],
  ['was answered with 503', (response: ServerResponse) => response.writeHead(503, { 'retry-after': '0' }).end()],
] as const)
  test(`a call whose first request ${what} may have happened, even if its repetition did not`, async () => {
    const refuse = (response: ServerResponse): void => void response.writeHead(400).end();
    const server = await modernServer(first(lose, refuse), [reader]);
    await using client = await connect(server.url, { eras });
    await client.tools().all();
    await assert.rejects(client.call('echo'), { ...unknown, status: 400 });
    await assert.rejects(client.call('echo'), { name: 'ConnectionError', processed: 'no' });
  });

test('a call that was lost before its session is sent again in the next session, and may have happened', async () => {
  let sessions = 0;
  let calls = 0;
  const server = await legacyServer((seen, response) => {
    const { method } = seen.message ?? {};
    if (method === 'initialize') sessions++;
    if (method === 'tools/list') return json(response, result(seen, { tools: [reader] })) ?? true;
    if (method !== 'tools/call') return undefined;
    calls++;
    if (calls === 1) response.destroy();
    else response.writeHead(calls === 2 ? 404 : 400).end();
    return true;
  });
  await using client = await connect(server.url, { eras });
  await client.tools().all();
  await assert.rejects(client.call('echo'), { ...unknown, status: 400 });
  assert.deepEqual({ sessions, calls }, { sessions: 2, calls: 3 });
});

test('a call that was lost before its session was may have happened, even if there is no next session', async () => {
  let calls = 0;
  const server = await legacyServer((seen, response) => {
    const { method } = seen.message ?? {};
    if (method === 'tools/list') return json(response, result(seen, { tools: [reader] })) ?? true;
    if (method === 'tools/call') calls++;
    if (calls === 0) return undefined;
    if (calls === 1) response.destroy();
    else response.writeHead(404).end();
    return true;
  });
  await using client = await connect(server.url, { eras });
  await client.tools().all();
  await assert.rejects(client.call('echo'), { ...unknown, code: 'not-mcp' });
});

test('a call that waits while another one learns that the session is forgotten may have happened', async () => {
  let waits = false;
  const server = await legacyServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    if (seen.message.params.name === 'wait') waits = true;
    else response.writeHead(404).end();
    return true;
  });
  await using client = await connect(server.url, { eras });
  const waiting = assert.rejects(client.call('wait'), unknown);
  await until(() => waits);
  await assert.rejects(client.call('echo'), { code: 'session-lost', processed: 'no' });
  await waiting;
});

test('a call that may be repeated is, if another one learns that the session is forgotten while it waits', async () => {
  let sessions = 0;
  const server = await legacyServer((seen, response) => {
    const { method, params } = seen.message ?? {};
    if (method === 'initialize') sessions++;
    if (method === 'tools/list') return json(response, result(seen, { tools: [reader] })) ?? true;
    if (method !== 'tools/call' || sessions > 1) return undefined;
    if (params.name !== 'echo') response.writeHead(404).end();
    return true;
  });
  await using client = await connect(server.url, { eras });
  await client.tools().all();
  const call = client.call('echo');
  await until(() => server.posts('tools/call').length === 1);
  assert.equal(await client.call('other'), 'done');
  assert.equal(await call, 'done');
  assert.equal(sessions, 2);
});

test('a call that asked something has begun, even if the answer did not arrive', async () => {
  const question = { method: 'roots/list' };
  const asks = { resultType: 'input_required', inputRequests: { q: question }, requestState: 's' };
  let calls = 0;
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    if (calls++ === 0) json(response, result(seen, asks));
    else response.writeHead(404).end();
    return true;
  });
  await using client = await connect(server.url, { eras, roots: [] });
  await assert.rejects(client.call('echo'), { ...unknown, status: 404 });
});

test('a server that forgets a new session is not mistaken for a server of 2024-11-05', async () => {
  const server = await legacyServer((seen, response) => {
    if (seen.message?.method !== 'notifications/initialized') return undefined;
    response.writeHead(404).end();
    return true;
  });
  await assert.rejects(connect(server.url, { eras }), { code: 'session-lost', processed: 'no' });
});

/** A clock whose timers run when the test says so. */
function manualClock() {
  const timers = new Set<{ readonly run: () => void; readonly ms: number }>();
  const clock: Clock = {
    now: () => 0,
    setTimeout(run, ms) {
      const timer = { run, ms };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => void timers.delete(timer as never),
  };
  const fire = (due: number): void => {
    for (const { run, ms } of [...timers]) if (ms === due) run();
  };
  return { clock, fire };
}

for (const [what, method, revision] of [
  ['a client does not connect if the server never accepts', 'notifications/initialized', '2025-11-25'],
  ['a notification fails if the server never accepts', 'notifications/roots/list_changed', undefined],
] as const)
  test(`${what} ${method}, and it is not waited for any longer`, async () => {
    let left = false;
    const server = await legacyServer((seen, response) => {
      if (seen.message?.method !== method) return undefined;
      response.on('close', () => (left = true));
      return true;
    });
    const { clock, fire } = manualClock();
    const act = async (): Promise<void> => {
      await using client = await connect(server.url, { eras, clock, timeout: 7_777, roots: [], revision });
      await client.setRoots([]);
    };
    const acting = assert.rejects(act(), { name: 'TimeoutError', code: 'request-timeout' });
    await until(() => server.posts(method).length === 1);
    fire(7_777);
    await acting;
    await until(() => left);
  });

test('a closed client leaves no message open that the server has not accepted', async () => {
  const server = await legacyServer((seen) =>
    seen.message?.method === 'notifications/roots/list_changed' ? true : undefined,
  );
  const client = await connect(server.url, { eras, roots: [] });
  const told = client.setRoots([]);
  await until(() => server.posts('notifications/roots/list_changed').length === 1);
  await client.close();
  await server.posts('notifications/roots/list_changed')[0]!.dropped;
  await told;
});

/** A server of 2024-11-05 that does not accept the calls of one tool. */
async function sseServer() {
  let say!: (message: unknown) => void;
  return scripted((seen, response) => {
    if (seen.method === 'GET') {
      stream(response);
      response.write('event: endpoint\ndata: /messages\n\n');
      say = (message) => response.write(`event: message\n${event(message)}`);
      return undefined;
    }
    if (!seen.path.startsWith('/messages')) return void response.writeHead(405).end();
    const { method, id, params } = seen.message;
    if (params?.name === 'stuck') return undefined;
    response.writeHead(params?.name === 'refused' ? 500 : 202).end();
    const serverInfo = { name: 'o', version: '1' };
    const agreed = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo };
    const done = { content: [{ type: 'text', text: 'done' }] };
    if (id !== undefined) say(result(seen, method === 'initialize' ? agreed : done));
    return undefined;
  });
}

/** Waits of a second, for the previous message, end at once. */
const clock: Clock = { ...systemClock, setTimeout: (run, ms) => systemClock.setTimeout(run, ms === 1_000 ? 0 : ms) };

test('over HTTP+SSE, a message that is not accepted does not hold up others, and ends with the client', async () => {
  const server = await sseServer();
  const client = await connect(server.url, { eras, clock });
  const stuck = assert.rejects(client.call('stuck'), { code: 'closed', processed: 'unknown' });
  assert.equal(await client.call('echo'), 'done');
  await client.close();
  await stuck;
  await server.posts('tools/call')[0]!.dropped;
});

test('over HTTP+SSE, a call whose message was refused with a server error may have happened', async () => {
  const server = await sseServer();
  await using client = await connect(server.url, { eras });
  await assert.rejects(client.call('refused'), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.equal(error.processed, 'unknown');
    return true;
  });
});
