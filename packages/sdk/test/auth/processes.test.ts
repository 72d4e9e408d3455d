// Programs that share a file of tokens: real processes.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { fileTokens, jwt, oauth, protectedResource } from '../../src/entries/auth.ts';
import { connect } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { type Authority, authority } from './authority.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const CALLER = fileURLToPath(new URL('./fixtures/caller.ts', import.meta.url));
const SECRET = 'kept elsewhere';

const app = server({
  name: 'protected',
  version: '1',
  tools: { echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text) },
});

/** A server, and a file with a login whose token is about to run out. */
const start = async (tokenDelayMs: number) => {
  const as = await authority({ lifeS: 31, tokenDelayMs });
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
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  return { as, url, file, folder, login };
};

const program = (url: string, file: string, text: string): { child: ChildProcess; said: Promise<string> } => {
  const child = spawn(process.execPath, ['--conditions=tenon-source', CALLER, url, file, text], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream!.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return { child, said: new Promise((resolve) => child.once('close', () => resolve(out.trim()))) };
};

const refreshes = ({ asked }: Authority): number =>
  asked.filter(({ params }) => params.get('grant_type') === 'refresh_token').length;

test('three programs that find the same token run out cause one refresh', async () => {
  const { as, url, file, folder } = await start(200);
  const all = ['1', '2', '3'].map((text) => program(url, file, text));
  assert.deepEqual(await Promise.all(all.map(({ said }) => said)), ['1', '2', '3']);
  assert.equal(refreshes(as), 1);
  assert.deepEqual(await readdir(folder), ['tokens.json']);
});

test('a program that dies in the middle of a refresh costs its user a login, and no registration; nobody waits for what it held', async () => {
  const { as, url, file, login } = await start(400);
  const { child, said } = program(url, file, '1');
  while (refreshes(as) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGKILL');
  await said;
  // The refresh token is spent now, and its successor is lost.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const store = fileTokens(file, { secret: SECRET });
  await store.set(url, { ...(await store.get(url))!, accessToken: 'over' });
  const began = Date.now();
  await using client = await login();
  assert.equal(await client.call('echo', { text: 'again' }), 'again');
  assert.ok(Date.now() - began < 5_000, 'a lock of the dead kept somebody waiting');
  assert.equal(as.count('/authorize'), 2);
  assert.equal(as.count('/register'), 1);
});
