// The examples for serverless platforms, called as their platforms call them. `npm run runtimes` runs those for Workers, Deno and Bun on
// the real runtimes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { connect, type ConnectOptions, type Revision, revisions } from 'tenon/client';
import { parse } from 'yaml';
import { startIssuer } from '../../scripts/lib/token-issuer.ts';
import type { app } from './app.ts';
import durable, { Mcp } from './cloudflare/durable-object.ts';
import bun from './bun.ts';
import deno from './deno.ts';

const KEY = 'a key that all instances of this server share';

/** A fresh copy of a module: another instance of the function. */
async function instance<T>(path: string): Promise<T> {
  return import(`${path}?instance=${instances++}`) as Promise<T>;
}
let instances = 0;

type Handle = (request: Request) => Promise<Response>;

function calling(...handlers: readonly [Handle, ...Handle[]]): ConnectOptions {
  let turn = 0;
  return { fetch: (input, init) => handlers[turn++ % handlers.length]!(new Request(input, init)) };
}

const ANSWER: ConnectOptions = { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) };

test('a Worker answers clients of every revision, each request on another instance, and asks those of 2026-07-28', async () => {
  const env = { HOST: 'mcp.example.com', KEY };
  const [first, second] = await Promise.all(
    [1, 2].map(() => instance<typeof import('./cloudflare/worker.ts')>('./cloudflare/worker.ts')),
  );
  const options = calling(
    (request) => first!.default.fetch(request, env),
    (request) => second!.default.fetch(request, env),
  );
  for (const revision of ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] satisfies Revision[]) {
    await using client = await connect<typeof app>('https://mcp.example.com/mcp', { ...options, ...ANSWER, revision });
    assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
    if (revision === '2026-07-28') assert.equal(await client.call('greet'), 'Hello, Ada!');
    // Without a session, the server cannot ask.
    else await assert.rejects(client.call('greet'), { name: 'ToolError' });
  }
  const other = { HOST: 'mcp.example.com', KEY: 'another key of another deployment, by mistake' };
  const third = await instance<typeof import('./cloudflare/worker.ts')>('./cloudflare/worker.ts');
  const broken = calling(
    (request) => first!.default.fetch(request, env),
    (request) => third.default.fetch(request, other),
  );
  await using client = await connect<typeof app>('https://mcp.example.com/mcp', {
    ...broken,
    ...ANSWER,
    revision: '2026-07-28',
  });
  await assert.rejects(async () => {
    await client.call('greet');
    await client.call('greet');
  });
});

test('a Durable Object keeps the sessions of legacy clients', async () => {
  const settings = { HOST: 'mcp.example.com', KEY };
  const namespace = { idFromName: (name: string) => name, get: () => object };
  const object: Mcp = new Mcp({}, { ...settings, MCP: namespace });
  const options = calling((request) => durable.fetch(request, { ...settings, MCP: namespace }));
  for (const revision of revisions.filter((each) => each >= '2025-06-18')) {
    await using client = await connect<typeof app>('https://mcp.example.com/mcp', { ...options, ...ANSWER, revision });
    assert.equal(await client.call('greet'), 'Hello, Ada!');
  }
});

test('the configurations of Workers name files and classes that exist', () => {
  const read = (name: string) =>
    parse(readFileSync(join(import.meta.dirname, 'cloudflare', name), 'utf8')) as {
      main: string;
      vars: { HOST: string };
      durable_objects?: { bindings: { name: string; class_name: string }[] };
      migrations?: { new_sqlite_classes: string[] }[];
    };
  const [plain, sessions] = [read('wrangler.jsonc'), read('wrangler.sessions.jsonc')];
  assert.deepEqual([plain.main, sessions.main], ['worker.ts', 'durable-object.ts']);
  assert.deepEqual(sessions.durable_objects, { bindings: [{ name: 'MCP', class_name: Mcp.name }] });
  assert.deepEqual(sessions.migrations?.[0]?.new_sqlite_classes, [Mcp.name]);
});

test('the routes of Next are called by the method of the request, and need a token', async (t) => {
  const issuer = await startIssuer();
  const url = 'http://localhost:3000/mcp';
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  Object.assign(process.env, { PUBLIC_URL: url, ISSUER: issuer.issuer, MCP_KEY: KEY });
  const endpoint = await import('./next/app/mcp/route.ts');
  const metadata = await import('./next/app/.well-known/oauth-protected-resource/[[...path]]/route.ts');
  const methods = new Map<string, Handle>(
    Object.entries(endpoint).flatMap(([name, found]) => (typeof found === 'function' ? [[name, found]] : [])),
  );
  const options = calling((request) => methods.get(request.method)!(request));
  const headers = { authorization: `Bearer ${issuer.sign({ aud: url, sub: 'ann' })}` };
  for (const revision of ['2026-07-28', '2025-11-25'] satisfies Revision[]) {
    await using client = await connect<typeof app>(url, { ...options, ...ANSWER, headers, revision });
    assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
  }
  const refused = await endpoint.POST(new Request(url, { method: 'POST' }));
  assert.equal(refused.status, 401);
  const [, place = ''] = /resource_metadata="([^"]*)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  assert.equal(place, 'http://localhost:3000/.well-known/oauth-protected-resource/mcp');
  const found = (await (await metadata.GET(new Request(place))).json()) as { authorization_servers: string[] };
  assert.deepEqual(found.authorization_servers, [issuer.issuer]);
  assert.equal((await endpoint.POST(new Request('http://evil.example/mcp', { method: 'POST' }))).status, 403);
});

for (const [name, { fetch }] of Object.entries({ Deno: deno, Bun: bun }))
  test(`the handler for ${name} serves sessions`, async () => {
    for (const revision of ['2026-07-28', '2025-11-25'] satisfies Revision[]) {
      const options = { ...calling(fetch), ...ANSWER, revision };
      await using client = await connect<typeof app>('http://localhost:3000/mcp', options);
      assert.equal(await client.call('greet'), 'Hello, Ada!');
    }
  });
