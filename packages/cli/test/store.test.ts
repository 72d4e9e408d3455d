// A server of `tenon run` whose state outlives its process.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openStore } from '@tenon/store';
import { failureIn, fixture, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-run-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const JSON_FIELDS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Serves over HTTP while `use` runs. */
async function whileServing(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  let used: Promise<void> | undefined;
  await tenon(['run', fixture('modern.ts'), '--http', '0', ...args], {
    cwd: folder,
    env,
    onStderr(stderr, kill) {
      const [, url] = /at (http:\S+)/.exec(stderr) ?? [];
      if (url !== undefined) used ??= use(url).finally(() => kill('SIGKILL'));
    },
  });
  assert.ok(used, 'it was served');
  await used;
}

async function beginSession(url: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const response = await fetch(url, { method: 'POST', headers: JSON_FIELDS, body });
  return response.headers.get('mcp-session-id')!;
}

async function ping(url: string, session: string): Promise<number> {
  const headers = { ...JSON_FIELDS, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

for (const [how, args, env] of [
  ['--store', ['--store', 'sqlite:./option.db'], {}],
  ['TENON_STORE', [], { TENON_STORE: 'sqlite:./variable.db' }],
] as const)
  test(`a session continues with the next process of a server with ${how}`, async () => {
    let session = '';
    await whileServing(args, env, async (url) => {
      session = await beginSession(url);
      assert.equal(await ping(url, session), 200);
    });
    assert.ok(existsSync(join(folder, how === '--store' ? 'option.db' : 'variable.db')));
    await whileServing(args, env, async (url) => assert.equal(await ping(url, session), 200));
    // Without the store the session is lost.
    await whileServing([], {}, async (url) => assert.equal(await ping(url, session), 404));
  });

test('an unusable store is a failure of the command before anything is served', async () => {
  writeFileSync(join(folder, 'diary.txt'), 'Dear diary');
  for (const [address, why] of [
    ['mysql://user:SECRETPW@host/db', /address of no store/],
    ['postgres://user:SECRETPW@host/db?schema=A', /parameter 'schema' of the address/],
    ['sqlite:./diary.txt', /not a file of SQLite/],
  ] as const) {
    const run = await tenon(['run', fixture('modern.ts'), '--store', address], { cwd: folder });
    assert.equal(run.code, 2);
    assert.deepEqual([failureIn(run)['code'], run.stdout], ['no_store', '']);
    assert.match(String(failureIn(run)['message']), why);
    assert.doesNotMatch(run.stderr, /SECRETPW/);
  }
});

test('store reports what a store contains, removes what has expired, and creates tables', async () => {
  const address = `sqlite:${join(folder, 'maintained.db')}`;
  const run = async (...args: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await tenon(['store', ...args, '--json'], { env: { TENON_STORE: address } });
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const none = { version: 0, known: 1, values: 0, logs: 0, characters: 0, expired: 0 };
  assert.deepEqual(await run('status'), none);
  assert.deepEqual(await run('sweep'), { removed: 0 });
  assert.ok(!existsSync(join(folder, 'maintained.db')), 'a store that is looked at is not created');
  assert.deepEqual(await run('migrate'), { before: 0, after: 1 });
  assert.deepEqual(await run('migrate', address), { before: 1, after: 1 });
  // By its clock nothing has expired, so it removes nothing itself.
  const then = Date.now() - 1e6;
  const store = await openStore(address, { now: () => then });
  await store.set('a', 'x', 1e9);
  for (let n = 0; n < 60; n++) await store.set(`short ${n}`, 1, 1);
  await store.append('log', 1, 1);
  await store.close();
  assert.deepEqual(await run('status'), { ...none, version: 1, values: 61, logs: 1, characters: 538, expired: 61 });
  assert.deepEqual(await run('sweep'), { removed: 62 });
  assert.deepEqual(await run('status'), { ...none, version: 1, values: 1, characters: 4 });
  const { stdout } = await tenon(['store', 'status', address, '--text']);
  assert.match(stdout, /^tables {6}version 1\nvalues {6}1\nlogs {8}0\n/);
});

test('store without an address or with a wrong word is a mistake of the user', async () => {
  for (const [args, message] of [
    [['store'], /with which store/],
    [['store', 'empty'], /with which store/],
    [['store', 'status'], /Which store/],
    [['store', 'status', 'mysql://user:SECRETPW@host/db'], /not the address of a store/],
    [['store', 'status', `sqlite:${join(folder, 'diary.txt')}`], /not a file of SQLite/],
  ] as const) {
    const run = await tenon(args, { env: { TENON_STORE: '' } });
    assert.equal(run.code, 2);
    assert.match(String(failureIn(run)['message']), message);
    assert.doesNotMatch(run.stderr, /SECRETPW/);
  }
});
