// The log level that the inspector requests of a server.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { server, tool } from 'tenon';
import { nodeHandler } from 'tenon/http';
import { createWorkbench } from '../src/session/workbench.ts';
import { createTraceStore } from '../src/trace/node/trace-store.ts';

const logging = server({
  name: 'logging',
  version: '1',
  tools: {
    work: tool({}, async (_, ctx) => {
      await ctx.log('debug', 'a detail');
      await ctx.log('info', 'a step');
      return 'done';
    }),
  },
});

async function connected(t: TestContext, revision: string) {
  const http = createServer(nodeHandler(logging));
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'tenon-logs-'));
  const store = createTraceStore(join(folder, 'x.mcptrace'), 'test 1');
  const launch = { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
  const workbench = createWorkbench({ store, targets: [{ id: 'it', name: 'it', launch }], by: 'test 1' });
  t.after(async () => {
    await workbench.close();
    http.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const logged = async (): Promise<unknown[]> => {
    const before = store.index.length;
    await workbench.request('it', {
      key: String(before),
      method: 'tools/call',
      params: '{"name":"work","arguments":{}}',
    });
    return store.index.all
      .slice(before)
      .filter(({ method }) => method === 'notifications/message')
      .map(({ n }) => (JSON.parse(store.read(n, n)[0]!.text) as { params: { data: unknown } }).params.data);
  };
  const view = await workbench.connect('it', { revision });
  return { workbench, store, view, logged };
}

test('log messages of a server of 2026-07-28 are requested by default', async (t) => {
  const { workbench, view, logged } = await connected(t, '2026-07-28');
  assert.equal(view.logLevel, 'info');
  assert.deepEqual(await logged(), ['a step']);
  await workbench.setLogLevel('it', 'debug');
  assert.equal(workbench.state().servers[0]!.logLevel, 'debug');
  assert.deepEqual(await logged(), ['a detail', 'a step']);
});

test('a chosen level also holds for the next connection', async (t) => {
  const { workbench, logged } = await connected(t, '2026-07-28');
  await workbench.setLogLevel('it', 'error');
  assert.equal((await workbench.connect('it', { revision: '2026-07-28' })).logLevel, 'error');
  assert.deepEqual(await logged(), []);
});

test('no default level is requested of a server of an earlier revision', async (t) => {
  const { workbench, store, view } = await connected(t, '2025-11-25');
  assert.equal(view.logLevel, undefined);
  const told = (): number => store.index.all.filter(({ method }) => method === 'logging/setLevel').length;
  assert.equal(told(), 0);
  await workbench.setLogLevel('it', 'warning');
  assert.ok(told() > 0);
  assert.equal(workbench.state().servers[0]!.logLevel, 'warning');
});
