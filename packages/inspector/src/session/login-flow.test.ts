import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { server, tool } from 'tenon';
import { nodeHandler } from 'tenon/http';
import { until } from '../../../../scripts/lib/until.ts';
import { createTraceStore } from '../trace/node/trace-store.ts';
import type { Workbench } from './contract.ts';
import { createWorkbench } from './workbench.ts';

interface Guarded {
  readonly workbench: Workbench;
  /** Turns on or off that requests need a token. */
  lock(on: boolean): void;
}

/** Connected to a server without an authorization server: discovery fails. */
async function guarded(t: TestContext): Promise<Guarded> {
  let locked = false;
  const handle = nodeHandler(server({ name: 'it', version: '1', tools: { ping: tool({}, () => 'pong') } }));
  const http = createServer((request, response) => {
    if (!locked && request.url === '/mcp') return void handle(request, response);
    request.resume();
    if (request.url !== '/mcp') response.writeHead(404).end();
    else response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-desk-'));
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'x.mcptrace'), 'test 1'),
    targets: [{ id: 'it', name: 'it', launch: { url: `http://127.0.0.1:${port}/mcp` } }],
    by: 'test 1',
  });
  t.after(async () => {
    await workbench.close();
    http.closeAllConnections();
    http.close();
    rmSync(folder, { recursive: true, force: true });
  });
  assert.equal((await workbench.connect('it')).status, 'ready');
  return { workbench, lock: (on) => void (locked = on) };
}

function statusOf(workbench: Workbench): string {
  return workbench.state().servers[0]!.status;
}

function call(workbench: Workbench) {
  return workbench.request('it', { key: 'a', method: 'tools/call', params: '{"name":"ping","arguments":{}}' });
}

test('a server whose call waits for a login is not called connected', async (t) => {
  const { workbench, lock } = await guarded(t);
  workbench.setPausing('it', true);
  lock(true);
  const answer = call(workbench);
  await until(() => workbench.auth('it').status === 'paused');
  assert.equal(statusOf(workbench), 'login');
  workbench.setPausing('it', false);
  await answer;
  assert.equal(statusOf(workbench), 'ready');
});

test('a login that a call required is not shown as running once it is over', async (t) => {
  const { workbench, lock } = await guarded(t);
  lock(true);
  await call(workbench);
  const { status, problem } = workbench.auth('it');
  assert.equal(status, 'failed');
  assert.match(problem!.message, /authorization server|metadata|protected/i);
});

test('a forgotten login is reported as such', async (t) => {
  const { workbench, lock } = await guarded(t);
  workbench.setPausing('it', true);
  lock(true);
  const answer = call(workbench);
  await until(() => workbench.auth('it').status === 'paused');
  await workbench.forgetLogin('it');
  await answer;
  const { status, forgotten, hops } = workbench.auth('it');
  assert.deepEqual([status, forgotten, hops], ['none', true, []]);
  assert.equal(statusOf(workbench), 'ready');
  // The next request is rejected again for lack of a token.
  const next = call(workbench);
  await until(() => workbench.auth('it').status === 'paused');
  assert.equal(workbench.auth('it').forgotten, undefined);
  await workbench.forgetLogin('it');
  await next;
  // Or no token is required any more.
  lock(false);
  await workbench.connect('it');
  assert.equal(workbench.auth('it').forgotten, undefined);
});

test('a login uses the client, the scopes and the port of its target', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-desk-'));
  let origin = '';
  // A protected server and its authorization server, which registers no clients.
  const documents: Readonly<Record<string, () => object>> = {
    '/.well-known/oauth-protected-resource/mcp': () => ({ resource: `${origin}/mcp`, authorization_servers: [origin] }),
    '/.well-known/oauth-authorization-server': () => ({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    }),
  };
  const http = createServer((request, response) => {
    request.resume();
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 401 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document?.() ?? {}));
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  const free = createServer();
  await new Promise<void>((resolve) => void free.listen(0, '127.0.0.1', resolve));
  const { port: callbackPort } = free.address() as AddressInfo;
  await new Promise<unknown>((resolve) => void free.close(resolve));
  const login = { client: { id: 'by-hand' }, scopes: ['notes'], callbackPort };
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'x.mcptrace'), 'test 1'),
    targets: [{ id: 'it', name: 'it', launch: { url: `${origin}/mcp`, login } }],
    by: 'test 1',
  });
  t.after(async () => {
    await workbench.close();
    http.closeAllConnections();
    http.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const connected = workbench.connect('it');
  await until(() => workbench.auth('it').loginUrl !== undefined || workbench.auth('it').status === 'failed');
  const { searchParams } = new URL(workbench.auth('it').loginUrl!);
  assert.deepEqual(
    ['client_id', 'scope', 'redirect_uri'].map((name) => searchParams.get(name)),
    ['by-hand', 'notes', `http://127.0.0.1:${callbackPort}/callback`],
  );
  await workbench.forgetLogin('it');
  await connected;
});
