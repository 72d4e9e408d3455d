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
