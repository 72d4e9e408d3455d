// Server-side state of one client, over all transports, and what handlers see of its requests.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { z } from 'zod';
import { connect } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { REVISIONS } from '../../src/protocol/revision.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

function counting() {
  const counts = new WeakMap<object, number>();
  return server({
    name: 'counting',
    tools: {
      count: tool({}, (_, { session }) => {
        if (session === undefined) return 'alone';
        const count = (counts.get(session) ?? 0) + 1;
        counts.set(session, count);
        return String(count);
      }),
    },
  });
}

test('state of a session is not visible to others, in memory and over HTTP', async () => {
  const app = counting();
  const served = await serveHttp(app, { port: 0, signals: false, drainMs: 50 });
  after(() => served.close());
  for (const target of [app, served.url]) {
    await using ann = await connect(target, { eras, revision: '2025-11-25' } as object);
    await using bob = await connect(target, { eras, revision: '2025-11-25' } as object);
    assert.deepEqual([await ann.call('count'), await ann.call('count'), await bob.call('count')], ['1', '2', '1']);
  }
});

test('a connection identifies its client in the modern era, too; over HTTP requests stand alone', async () => {
  const app = counting();
  const served = await serveHttp(app, { port: 0, signals: false, drainMs: 50 });
  after(() => served.close());
  await using near = await connect(app, { revision: '2026-07-28' });
  assert.deepEqual([await near.call('count'), await near.call('count')], ['1', '2']);
  await using far = await connect(served.url, { eras, revision: '2026-07-28' });
  assert.deepEqual([await far.call('count'), await far.call('count')], ['alone', 'alone']);
});

for (const revision of REVISIONS)
  test(`a handler sees the headers of its request, but none with credentials: ${revision}`, async () => {
    const show = tool({ input: z.object({ name: z.string() }) }, ({ name }, ctx) => ctx.header(name) ?? 'none');
    const served = await serveHttp(server({ name: 'shows', tools: { show } }), {
      port: 0,
      signals: false,
      sse: true,
      log() {},
      auth: ({ header }) => (header('authorization') === 'Bearer SECRETPW' ? { id: 'me' } : undefined),
    });
    after(() => served.close());
    const headers = { authorization: 'Bearer SECRETPW', cookie: 'id=SECRETPW', dpop: 'SECRETPW', 'x-tenant': 'acme' };
    await using client = await connect(served.url, { revision, headers });
    for (const name of ['x-tenant', 'X-Tenant']) assert.equal(await client.call('show', { name }), 'acme');
    for (const name of ['authorization', 'Authorization', 'cookie', 'COOKIE', 'dpop', 'DPoP'])
      assert.equal(await client.call('show', { name }), 'none', name);
  });
