// A real socket: the example programs, and two clients of different eras with one server.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { dial } from './connect.ts';
import { listen } from './serve.ts';

async function freePath(t: TestContext): Promise<string> {
  if (process.platform === 'win32') return `\\\\.\\pipe\\tenon-${process.pid}-${crypto.randomUUID()}`;
  const folder = await mkdtemp(join(tmpdir(), 'tenon-socket-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'notes.sock');
}

test('two clients of different eras share one server', async (t) => {
  const path = await freePath(t);
  const server = await listen(path);
  const answers = { sure: { sure: true } };
  const modern = await dial(path, { revision: '2026-07-28', answers });
  const legacy = await dial(path, { revision: '2025-06-18', answers });
  assert.deepEqual([modern.era, legacy.era], ['modern', 'legacy']);

  const watches = [modern.watch({ list: 'resources' }), legacy.watch({ list: 'resources' })];
  await Promise.all(watches.map(({ ready }) => ready));
  await modern.call('add_note', { title: 'Shared', body: 'Seen by both' });
  for (const watch of watches) {
    for await (const change of watch) {
      assert.deepEqual(change, { list: 'resources', missed: false });
      break;
    }
  }
  const { found } = await legacy.call('search_notes', { text: 'both' });
  assert.deepEqual(found, [{ id: '3', title: 'Shared' }]);
  assert.equal(await legacy.call('delete_note', { id: '3' }), 'Deleted "Shared".');
  await assert.rejects(modern.read('note:///3'), { code: -32602 });
  assert.equal(await modern.call('delete_note', { id: '2' }), 'Deleted "Trip".');

  await modern.close();
  assert.deepEqual((await legacy.call('search_notes', { text: 'o' })).found, [{ id: '1', title: 'Groceries' }]);

  await server.close();
  assert.match(String(await legacy.closed), /ConnectionError/);
  await assert.rejects(legacy.call('search_notes', { text: 'x' }), { name: 'ConnectionError' });
  await assert.rejects(dial(path));
});

test('serve.ts and connect.ts are programs', async (t) => {
  const path = await freePath(t);
  const server = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => server.kill());
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  assert.match(String(line), /^Listening on/);

  const client = [join(import.meta.dirname, 'connect.ts'), path, 'lisbon'];
  const { stdout } = await promisify(execFile)(process.execPath, client, { timeout: 120_000 });
  assert.equal(stdout, '2  Trip\n');

  if (process.platform === 'win32') return;
  server.kill('SIGINT');
  assert.deepEqual(await once(server, 'exit'), [0, null]);
});
