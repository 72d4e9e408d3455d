// The keys that TENON_KEYS_FILE names: they change while the server runs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { stage } from './stage.ts';

const ANSWER = { who: { action: 'accept', content: { name: 'Ann' } } };

/** Names a file of keys in the environment until the test ends. */
function keysFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-keys-'));
  const path = join(folder, 'keys');
  writeFileSync(path, text, { mode: 0o600 });
  process.env['TENON_KEYS_FILE'] = path;
  t.after(() => {
    delete process.env['TENON_KEYS_FILE'];
    rmSync(folder, { recursive: true, force: true });
  });
  return path;
}

test('servers with one file of keys continue the calls of each other, and of servers with an earlier file', async (t) => {
  const path = keysFile(t, 'the first key of many\n');
  const a = await stage();
  const { requestState } = (await a.call('ask')).json.result;
  writeFileSync(path, 'the second key of many\nthe first key of many\n');
  const b = await stage();
  const params = { name: 'ask', arguments: {}, requestState, inputResponses: ANSWER };
  assert.equal((await b.modern('tools/call', params)).json.result.content[0].text, 'Hello, Ann');
  writeFileSync(path, 'the second key of many\n');
  const c = await stage();
  assert.match((await c.modern('tools/call', params)).json.error.message, /requestState is not valid/);
  writeFileSync(path, 'short\n');
  await assert.rejects(stage(), /fewer than 16 characters/);
});

test('a server on stdio reads the file, too', async (t) => {
  const keys = keysFile(t, 'the first key of many\n');
  const entry = new URL('../../src/entries/', import.meta.url);
  const source = `
    import { server, tool } from '${new URL('index.ts', entry).href}';
    import { serveStdio } from '${new URL('node.ts', entry).href}';
    await serveStdio(server({ name: 'x', tools: { echo: tool({}, () => 'here') } }));`;
  const args = ['--conditions=tenon-source', '--input-type=module', '-e', source];
  const command = { command: process.execPath, args, env: { TENON_KEYS_FILE: keys } };
  await using client = await connect(command);
  assert.equal(await client.call('echo'), 'here');
  writeFileSync(keys, 'short\n');
  await assert.rejects(connect(command), /fewer than 16 characters/);
});
