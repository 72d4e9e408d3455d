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

test('a second server of the same name is added beside the first, and the same server only once', async () => {
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

test('a terminal that closes while it is asked breaks nothing', async () => {
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

test('without a terminal an address is added at once, and nothing is started', async () => {
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'addresses.mcptrace'), 'test'),
    targets: [server('one')],
    by: 'test',
    readTargets: async (text) =>
      text === 'program'
        ? [server('two')]
        : [
            {
              id: 'there',
              name: 'there',
              launch: text === 'headers' ? { url: 'http://127.0.0.1:1/mcp', headers: { a: 'b' } } : { url: text },
            },
          ],
  });
  for (const text of ['program', 'headers'])
    await assert.rejects(workbench.addTargets(text), { name: 'WorkbenchError', message: /no terminal/ });
  await assert.rejects(workbench.changeLaunch('server', { args: [], env: [] }), { message: /no terminal/ });
  assert.equal((await workbench.addTargets('http://127.0.0.1:1/mcp')).status, 'added');
  assert.deepEqual(
    workbench.state().servers.map(({ id }) => id),
    ['server', 'there'],
  );
  await workbench.close();
});

test('unusable parts of a pasted text are reported, with the reason and what to do', async () => {
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'left-out.mcptrace'), 'test'),
    targets: [],
    by: 'test',
    confirm: async () => false,
    async readTargets(text, leaveOut) {
      leaveOut('notes is turned off');
      if (text === 'nothing') throw Object.assign(new Error('No server'), { fix: 'Write one.' });
      return [server('one')];
    },
  });
  assert.deepEqual((await workbench.addTargets('x')).leftOut, ['notes is turned off']);
  await assert.rejects(workbench.addTargets('nothing'), { message: 'No server', fix: 'Write one.' });
  await workbench.close();
});

test('a process is started with other arguments and variables only after the terminal confirmed it', async () => {
  const answers = [false, true];
  const asked: unknown[] = [];
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'changed.mcptrace'), 'test'),
    targets: [server('one')],
    by: 'test',
    confirm: async ([target], reason) => {
      asked.push([reason, target?.launch]);
      return answers.shift() === true;
    },
  });
  const body = { args: [{ keep: 0 }, { text: 'two' }], env: [{ name: 'API_TOKEN', value: 'abcdefghijkl' }] };
  const words = (): readonly string[] | undefined => workbench.state().servers[0]!.launch?.words;
  const before = words();
  assert.deepEqual(await workbench.changeLaunch('server', body), {
    status: 'asked-in-terminal',
    servers: ['server'],
    leftOut: [],
    asked: 'asked-1',
  });
  await turns();
  assert.deepEqual(words(), before);
  assert.deepEqual(workbench.state().asked, [{ id: 'asked-1', status: 'no' }]);
  await workbench.changeLaunch('server', body);
  await until(() => workbench.state().servers[0]!.status === 'ready');
  assert.equal(words()?.at(-1), 'two');
  assert.deepEqual(workbench.state().servers[0]!.launch?.env, ['API_TOKEN']);
  assert.ok(!JSON.stringify(workbench.state()).includes('abcdefghijkl'), 'a page is told nothing secret');
  const { launch } = server('two');
  assert.deepEqual(asked[1], ['change', { ...launch, env: { API_TOKEN: 'abcdefghijkl' }, inheritEnv: [] }]);
  await workbench.close();
});

test('a call whose answer has its id as text fails at once, and the server is to blame', async () => {
  const workbench = createWorkbench({
    store: createTraceStore(join(folder, 'text-id.mcptrace'), 'test'),
    targets: [server('text-id')],
    by: 'test',
    confirm: async () => true,
    readTargets: async () => [],
  });
  await workbench.connect('server');
  await until(() => workbench.state().servers[0]?.status === 'ready');
  const { problem, findings } = await workbench.request('server', {
    method: 'tools/call',
    params: '{"name":"a"}',
    key: 'k',
  });
  assert.equal(problem?.blame, 'server');
  assert.match(String(problem?.message), /it must send back the number$/);
  assert.deepEqual(
    findings.map(({ rule, blame }) => [rule, blame]),
    [['id-type-changed', 'server']],
  );
  await workbench.close();
});
