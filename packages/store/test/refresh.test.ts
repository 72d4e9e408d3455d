// Several processes with one expired token in one store: one of them refreshes it, for all.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { openStore } from '@tenon/store';
import { server, tool } from 'tenon';
import { jwt, oauth, protectedResource, tokensIn } from 'tenon/auth';
import { connect } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import { ENDS_WITH_PARENT } from '../../../scripts/lib/ends-with-parent.ts';
import { authority } from '../../sdk/test/auth/authority.ts';

const KEY = 'a key with enough characters';

const app = server({
  name: 'protected',
  tools: {
    echo: tool({ input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => String(text)),
  },
});

/** Runs a program that makes calls. Resolves with what it says. */
function run(...args: string[]): Promise<string> {
  const file = join(import.meta.dirname, 'fixtures/caller.ts');
  const child = spawn(process.execPath, [...ENDS_WITH_PARENT, file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  return new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error('The program ended without saying anything')));
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve(line);
      // It ends when its parent seems to have ended.
      child.stdin.end();
    });
  });
}

test('forty calls of two processes with the same expired token cause one refresh', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-refresh-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const address = `sqlite:${join(folder, 'state.db')}`;
  const as = await authority({ tokenDelayMs: 200 });
  // The metadata of a protected server name its URL, which has to be known first.
  const probe = await serveHttp(app, { port: 0, signals: false });
  await probe.close();
  const { port, url } = probe;
  const auth = protectedResource({
    resource: url,
    authorizationServers: [as.issuer],
    verify: jwt({ issuer: as.issuer }),
  });
  const served = await serveHttp(app, { port, signals: false, drainMs: 50, auth });
  after(() => served.close());
  await using store = await openStore(address);
  const tokens = tokensIn(store, { keys: [KEY] });
  const challenge = { eras: { get: () => undefined, set() {}, delete() {} } };
  await (await connect(url, { ...challenge, auth: oauth({ browser: as.browser, store: tokens }) })).close();
  const grant = (await tokens.get(url))!;
  await tokens.set(url, { ...grant, accessToken: 'expired', expiresAt: Date.now() - 1_000 });
  const said = await Promise.all([run(url, address, KEY, '20'), run(url, address, KEY, '20')]);
  assert.deepEqual(said, ['20', '20']);
  const refreshes = as.asked.filter(({ params }) => params.get('grant_type') === 'refresh_token');
  assert.equal(refreshes.length, 1);
  assert.equal(as.spent(), 1);
});
