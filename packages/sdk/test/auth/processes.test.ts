// Programs that share a token file: real processes.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { until } from '../../../../scripts/lib/until.ts';
import { fileTokens, jwt, oauth, protectedResource } from '../../src/entries/auth.ts';
import { connect } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { type Authority, authority, type AuthorityOptions } from './authority.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const CALLER = fileURLToPath(new URL('./fixtures/caller.ts', import.meta.url));
const SECRET = 'kept elsewhere';

const app = server({
  name: 'protected',
  version: '1',
  tools: { echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text) },
});

/** A server, and a file with a login whose token is about to expire. */
async function start(options: AuthorityOptions) {
  const as = await authority(options);
  const probe = await serveHttp(app, { port: 0, signals: false });
  const { port, url } = probe;
  await probe.close();
  const served = await serveHttp(app, {
    port,
    signals: false,
    drainMs: 50,
    auth: protectedResource({
      resource: url,
      authorizationServers: [as.issuer],
      verify: jwt({ issuer: as.issuer }),
    }),
  });
  after(() => served.close());
  const folder = await mkdtemp(join(tmpdir(), 'tenon-processes-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'tokens.json');
  const login = () =>
    connect(url, { eras, auth: oauth({ browser: as.browser, store: fileTokens(file, { secret: SECRET }) }) });
  await (await login()).close();
  const store = fileTokens(file, { secret: SECRET });
  await store.set(url, { ...(await store.get(url))!, expiresAt: Date.now() + 1_000 });
  return { as, url, file, folder, store, login };
}

function program(url: string, file: string, text: string): { child: ChildProcess; said: Promise<string> } {
  const child = spawn(process.execPath, ['--conditions=tenon-source', CALLER, url, file, text], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream!.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return { child, said: new Promise((resolve) => child.once('close', () => resolve(out.trim()))) };
}

function refreshes({ asked }: Authority): number {
  return asked.filter(({ params }) => params.get('grant_type') === 'refresh_token').length;
}

test('three programs with the same expired token cause one refresh', async () => {
  const { as, url, file, folder } = await start({ tokenDelayMs: 200 });
  const all = ['1', '2', '3'].map((text) => program(url, file, text));
  assert.deepEqual(await Promise.all(all.map(({ said }) => said)), ['1', '2', '3']);
  assert.equal(refreshes(as), 1);
  assert.deepEqual(await readdir(folder), ['tokens.json']);
});

test('a program that dies in the middle of a refresh causes a login, but no registration, and its locks delay no other program', async () => {
  let died!: () => void;
  const death = new Promise<void>((resolve) => (died = resolve));
  const { as, url, file, folder, store, login } = await start({ beforeRefresh: () => death });
  const { child, said } = program(url, file, '1');
  await until(() => refreshes(as) === 1);
  child.kill('SIGKILL');
  await said;
  died();
  // The refresh token is used now, and its successor is lost.
  await until(() => as.spent() === 1);
  await store.set(url, { ...(await store.get(url))!, accessToken: 'over' });
  // Its lock is not old, and will not become old during the test.
  const locks = (await readdir(folder)).filter((name) => name.endsWith('.lock'));
  assert.equal(locks.length, 1);
  const later = new Date(Date.now() + 3_600_000);
  for (const name of locks) await utimes(join(folder, name), later, later);
  await using client = await login();
  assert.equal(await client.call('echo', { text: 'again' }), 'again');
  assert.equal(as.count('/authorize'), 2);
  assert.equal(as.count('/register'), 1);
});
