import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../../../../scripts/lib/until.ts';
import { withIsolatedServer } from './isolated-server.ts';
import type { Target } from './contract.ts';

const SECRET = 's3cr3t-value-XYZZY';

function broken(...args: string[]): Target {
  return {
    id: 'it',
    name: 'it',
    launch: {
      command: process.execPath,
      args: [fileURLToPath(new URL('fixtures/broken.mjs', import.meta.url)), ...args],
      env: { API_TOKEN: SECRET },
    },
  };
}

function accused(findings: readonly { severity: string; blame: string; rule: string }[]): string[] {
  return findings.filter(({ severity, blame }) => severity === 'error' && blame === 'server').map(({ rule }) => rule);
}

test('an error that is null does not break the view, and is blamed on the server', () =>
  withIsolatedServer(broken('null-error'), { by: 'test' }, async (isolated) => {
    const { server } = isolated;
    await server.connect(undefined);
    const view = server.view();
    assert.equal(view.status, 'ready', view.problem?.message);
    assert.match(view.doctor.find(({ id }) => id === 'modern')!.detail!, /"error":null/);
    assert.ok(accused(isolated.findings).includes('error-shape'));
  }));

test('a silent server that is abandoned is not blamed for ending', async () => {
  let found: readonly string[] = ['not looked'];
  let spawn: string | undefined;
  await withIsolatedServer(
    broken('silent'),
    { by: 'test' },
    async ({ server }) => {
      const connecting = server.connect(undefined);
      await until(() => server.view().doctor.find(({ id }) => id === 'spawn')?.status === 'pass');
      await server.disconnect();
      await connecting;
      spawn = server.view().doctor.find(({ id }) => id === 'spawn')?.status;
    },
    ({ findings }) => (found = accused(findings)),
  );
  assert.deepEqual([found, spawn], [[], 'pass']);
});

test('a server that ends while its lists are read is blamed, and the view says how it ended', () =>
  withIsolatedServer(broken('dies-at-list'), { by: 'test' }, async ({ server }) => {
    await server.connect(undefined);
    const { status, problem } = server.view();
    assert.equal(status, 'failed');
    assert.match(problem!.message, /exited with code 3/);
    assert.equal(problem!.blame, 'server');
  }));

test('the description of a server, and the problem of its lists, are shown without secrets', () =>
  withIsolatedServer(broken('list-error'), { by: 'test' }, async ({ server }) => {
    await server.connect(undefined);
    const view = server.view();
    assert.match(view.instructions!, /^The token is /);
    assert.match(view.lists[0]!.problem!.message, /No database/);
    assert.ok(!JSON.stringify(view).includes(SECRET));
  }));

for (const [when, mode] of [
  ['after each reading', 'changes'],
  ['while others are read', 'changes-meanwhile'],
] as const)
  test(`a list that a server says has changed ${when} is read again`, () =>
    withIsolatedServer(broken(mode), { by: 'test' }, async ({ server, store }) => {
      await server.connect(undefined);
      const { session } = server.view();
      const asked = () =>
        store.index.all.filter(
          (facts) => facts.session === session && facts.method === 'tools/list' && facts.message === 'request',
        );
      await until(
        () => asked().length >= 3,
        () => `it was asked ${asked().length} times, ${JSON.stringify(server.view())}`,
      );
    }));

test(
  'a trace that is not kept leaves no folder behind, even if this process is killed',
  { skip: process.platform === 'win32' },
  async () => {
    const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('tenon-trace-'));
    const before = folders();
    await withIsolatedServer(broken('ok'), { by: 'test' }, async ({ server, store }) => {
      await server.connect(undefined);
      assert.deepEqual(
        folders().filter((name) => !before.includes(name)),
        [],
      );
      assert.ok(store.read(1, 3).length === 3, 'it is read all the same');
    });
  },
);
