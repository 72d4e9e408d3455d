// `TENON_STORE` and `TENON_BUS`, for servers without a given store and bus.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { startRedis } from '../../../scripts/lib/redis-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
const redis = await startRedis();
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await redis.stop();
});

/** Runs a program that has an `app`. Returns its output. */
function run(
  code: string,
  env: Readonly<Record<string, string>>,
): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  const program = `
    import { registerHooks } from 'node:module';
    import { server } from 'tenon';
    import { memoryStore } from 'tenon/http';
    import { serveHttp, serveStdio } from 'tenon/node';
    const app = server({ name: 'x', version: '1' });
    const request = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    ${code}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    input: '',
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return { stdout, stderr, status };
}

/** Serves, and prints the error if that fails. */
function serve(serving: string): string {
  return `await ${serving}(app, { port: 0 }).catch(({ message }) => console.log(message)); process.exit();`;
}

test('serveHttp keeps its state in the store of TENON_STORE, and closes it', () => {
  const file = join(folder, 'state.db');
  const code = `
    const begin = await serveHttp(app, { port: 0 });
    const { headers: got } = await fetch(begin.url, { method: 'POST', headers, body: request(1, 'initialize', hello) });
    await begin.close();
    const next = await serveHttp(app, { port: 0 });
    const session = { 'mcp-session-id': got.get('mcp-session-id'), 'mcp-protocol-version': '2025-11-25' };
    const { status } = await fetch(next.url, { method: 'POST', headers: { ...headers, ...session }, body: request(2, 'ping') });
    console.log(status);
    await next.close();`;
  assert.deepEqual(run(code, { TENON_STORE: `sqlite:${file}` }).stdout, '200\n');
  assert.ok(existsSync(file));
  assert.ok(!existsSync(`${file}-wal`), 'it was closed');
  assert.equal(run(code, { TENON_STORE: '' }).stdout, '404\n');
});

test('a given store takes precedence over TENON_STORE', () => {
  const file = join(folder, 'unused.db');
  const code = `const { close } = await serveHttp(app, { port: 0, store: memoryStore() }); await close(); console.log('served');`;
  assert.equal(run(code, { TENON_STORE: `sqlite:${file}` }).stdout, 'served\n');
  assert.ok(!existsSync(file));
});

for (const serving of ['serveHttp', 'serveStdio'])
  test(`${serving} rejects if the store of TENON_STORE cannot be opened`, () => {
    const file = join(folder, 'diary.txt');
    writeFileSync(file, 'Dear diary');
    const { stdout, stderr } = run(serve(serving), { TENON_STORE: `sqlite:${file}` });
    assert.match(stdout + stderr, /diary\.txt is not a file of SQLite, and was left as it is/);
    const missing = `
      registerHooks({
        resolve(name, context, next) {
          if (name !== '@tenon/store') return next(name, context);
          throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
        },
      });`;
    const without = run(missing + serve(serving), { TENON_STORE: `sqlite:${file}` });
    assert.match(without.stdout + without.stderr, /TENON_STORE is set, .* npm install @tenon\/store/);
  });

test('serveStdio opens the store of TENON_STORE', () => {
  const file = join(folder, 'stdio.db');
  const { stderr } = run('await serveStdio(app);', { TENON_STORE: `sqlite:${file}` });
  assert.equal(stderr, '');
  assert.ok(existsSync(file));
});

test('serveHttp is a node on the bus of TENON_BUS, or of the server of TENON_STORE, and leaves it when it is closed', () => {
  const code = `
    const nodes = await Promise.all([1, 2].map(async () => {
      const node = server({ name: 'x', version: '1', resources: { 'clock://now': resource({ name: 'clock' }, () => 'now') } });
      return { node, ...(await serveHttp(node, { port: 0, signals: false })) };
    }));
    const client = await connect(nodes[0].url);
    const watch = client.watch({ uri: 'clock://now' });
    await watch.ready;
    nodes[1].node.changed('clock://now');
    for await (const { uri } of watch) {
      console.log(uri);
      break;
    }
    await client.close();
    for (const { close } of nodes) await close();`;
  const imports = `import { resource } from 'tenon'; import { connect } from 'tenon/client';`;
  const environments: readonly Readonly<Record<string, string>>[] = [
    { TENON_BUS: `${redis.address}?prefix=a` },
    { TENON_STORE: `${redis.address}?prefix=b` },
    { TENON_STORE: `sqlite:${join(folder, 'with-bus.db')}`, TENON_BUS: `${redis.address}?prefix=c` },
  ];
  for (const env of environments)
    assert.deepEqual(run(imports + code, env), { stdout: 'clock://now\n', stderr: '', status: 0 });
});

test('if serveHttp cannot listen, nothing that it opened keeps the program running', () => {
  const code = `
    import { once } from 'node:events';
    import { createServer } from 'node:net';
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    await serveHttp(app, { port: taken.address().port }).catch(({ code }) => console.log(code));
    taken.close();`;
  assert.deepEqual(run(code, { TENON_STORE: redis.address }), { stdout: 'EADDRINUSE\n', stderr: '', status: 0 });
});

test('serveHttp rejects if the bus of TENON_BUS cannot be opened', () => {
  const { stdout } = run(serve('serveHttp'), { TENON_BUS: 'mqtt://user:SECRETPW@host' });
  assert.equal(stdout, "'mqtt:…' is the address of no bus\n");
});
