// An interrupted call is resumed only if it is unchanged and still allowed.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { serveHttp } from 'tenon/node';
import { answerPending, createHost, type HostOptions, listPending } from '../src/index.ts';
import { asking, leaveCall, newState, nextOf, yes } from './interrupted-kit.ts';

const KEY = 'a key that all servers here have, and that is long enough';
function serve(app: ReturnType<typeof asking>['app']) {
  return serveHttp(app, { port: 0, keys: [KEY] });
}
async function answered(state: string, id: string): Promise<void> {
  assert.equal(await answerPending(state, id, { allow: true, content: { sure: true } }), true);
}

async function firstEnd(options: HostOptions) {
  await using host = await createHost({ approve: yes, ...options });
  const end = nextOf(host, 'resumed', 'problem');
  await host.start();
  return { event: await end, decisions: [...host.decisions()] };
}

test('an interrupted call is not resumed if a rule now denies its tool', async () => {
  const { app, done } = asking();
  const state = await newState();
  const served = await serve(app);
  try {
    const servers = { one: served.url };
    await answered(state, await leaveCall(state, servers));
    const rules = [{ effect: 'deny', tool: 'confirm', because: 'not any more' }] as const;
    const { event, decisions } = await firstEnd({ state, servers, rules });
    assert.ok(event.kind === 'problem', JSON.stringify(event));
    assert.match(event.message, /could not be resumed: rule 1: not any more/);
    assert.deepEqual(done, []);
    assert.deepEqual(await listPending(state), []);
    assert.equal(
      decisions.some(({ act, allow }) => act === 'call' && !allow),
      true,
    );
  } finally {
    await served.close();
  }
});

test('rules for arguments apply to interrupted calls', async () => {
  const { app, done } = asking();
  const state = await newState();
  const served = await serve(app);
  try {
    const servers = { one: served.url };
    await answered(state, await leaveCall(state, servers, 'everything'));
    const rules = [{ effect: 'deny', tool: 'confirm', arguments: { what: 'every*' } }] as const;
    const { event } = await firstEnd({ state, servers, rules });
    assert.equal(event.kind, 'problem');
    assert.deepEqual(done, []);
  } finally {
    await served.close();
  }
});

test('a different URL under the same alias receives nothing of an interrupted call', async () => {
  const [first, second] = [asking(), asking()];
  const state = await newState();
  const served = await serve(first.app);
  const other = await serve(second.app);
  const bodies: string[] = [];
  // Records everything that the other server receives.
  const spy = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    const { connection: _connection, 'content-length': _length, host: _host, ...headers } = request.headers;
    const init = { method: request.method!, headers: headers as Record<string, string> };
    const answer = await fetch(new URL(request.url!, other.url), body === '' ? init : { ...init, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve));
  try {
    await answered(state, await leaveCall(state, { one: served.url }, 'a secret'));
    const { port } = spy.address() as AddressInfo;
    const url = new URL(other.url);
    url.port = String(port);
    const { event } = await firstEnd({ state, servers: { one: url.href } });
    assert.ok(event.kind === 'problem', JSON.stringify(event));
    assert.match(event.message, /different program or address/);
    assert.notEqual(bodies.length, 0);
    assert.equal(
      bodies.some((body) => body.includes('a secret') || body.includes('requestState')),
      false,
    );
    assert.deepEqual([...first.done, ...second.done], []);
    assert.deepEqual(await listPending(state), []);
  } finally {
    spy.closeAllConnections();
    spy.close();
    await served.close();
    await other.close();
  }
});

test('a call of a tool that has changed is not resumed', async () => {
  const state = await newState();
  const first = asking();
  const served = await serve(first.app);
  const port = Number(new URL(served.url).port);
  const servers = { one: served.url };
  await answered(state, await leaveCall(state, servers));
  await served.close();
  const second = asking('Does something else');
  const again = await serveHttp(second.app, { port, keys: [KEY] });
  try {
    const host = await createHost({ state, servers, approve: yes });
    const end = nextOf(host, 'resumed', 'problem');
    await host.start();
    const event = await end;
    await host.close();
    assert.ok(event.kind === 'problem', JSON.stringify(event));
    assert.match(event.message, /no approved tool confirm now|has changed/);
    assert.deepEqual([...first.done, ...second.done], []);
  } finally {
    await again.close();
  }
});

for (const [member, value, why] of [
  ['pin', 'of what the tool was before', /the tool confirm has changed/],
  ['pin', undefined, /the tool confirm has changed/],
  ['launch', undefined, /had no keys that last longer/],
] as const) {
  test(`an interrupted call with ${value === undefined ? 'no' : 'a different'} ${member} is not resumed`, async () => {
    const { app, done } = asking();
    const state = await newState();
    const served = await serve(app);
    try {
      const servers = { one: served.url };
      const id = await leaveCall(state, servers);
      await answered(state, id);
      const file = join(state, 'pending', `${id}.json`);
      await writeFile(
        file,
        JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), [member]: value }),
      );
      const { event } = await firstEnd({ state, servers });
      assert.ok(event.kind === 'problem', JSON.stringify(event));
      assert.match(event.message, why);
      assert.deepEqual([done, await listPending(state)], [[], []]);
    } finally {
      await served.close();
    }
  });
}
