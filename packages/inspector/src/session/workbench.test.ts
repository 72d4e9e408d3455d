import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { createTraceStore } from '../trace/node/trace-store.ts';
import type { Target } from './contract.ts';
import { createWorkbench } from './workbench.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function server(mode: string): Target {
  return {
    id: 'server',
    name: 'server',
    launch: {
      command: process.execPath,
      args: [fileURLToPath(new URL('fixtures/broken.mjs', import.meta.url)), mode],
    },
  };
}

test('a second server of the same name is added beside the first, and the same one only once', async () => {
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'names.mcptrace'), 'test'),
    targets: [server('one')],
    by: 'test',
    confirm: async () => true,
    readTargets: async (mode) => [server(mode)],
  });
  for (const mode of ['two', 'two', 'one']) await workbench.addTargets(mode);
  await until(() => workbench.state().servers.filter(({ status }) => status === 'ready').length === 2);
  assert.deepEqual(
    workbench.state().servers.map(({ id }) => id),
    ['server', 'server-2'],
  );
  await workbench.close();
});

test('a terminal that goes away while it is asked breaks nothing', async () => {
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'gone.mcptrace'), 'test'),
    targets: [],
    by: 'test',
    confirm: () => Promise.reject(new Error('Aborted with Ctrl+C')),
    readTargets: async (mode) => [server(mode)],
  });
  // An unhandled rejection would fail this test.
  assert.equal((await workbench.addTargets('x')).status, 'asked-in-terminal');
  await turns();
  assert.deepEqual(workbench.state().servers, []);
  await workbench.close();
});
