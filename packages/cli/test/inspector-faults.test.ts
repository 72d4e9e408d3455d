// The reports of the verbs that inspect servers, for faults of the server, the command line and files.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { failureIn, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-faults-'));
after(() => rmSync(folder, { recursive: true, force: true }));
function at(name: string): string {
  return join(folder, name);
}

const here = dirname(fileURLToPath(import.meta.url));
const FIXTURE = join(here, '../../inspector/src/session/fixtures/broken.mjs');
function broken(mode: string): string[] {
  return ['--', process.execPath, FIXTURE, mode];
}

test('the doctor does not report success if a step failed', async () => {
  const run = await tenon(['doctor', ...broken('list-error')]);
  assert.equal(run.code, 9, run.stderr);
  assert.match(String(failureIn(run)['message']), /"Its lists can be read"\. tools: .*No database/);
});

test('a server with resources but without resources/templates/list works with every verb', async () => {
  for (const verb of ['list', 'doctor', 'check']) {
    const run = await tenon([verb, ...broken('no-templates')]);
    assert.equal(run.code, 0, `${verb}: ${run.stderr}`);
  }
  const listed = await tenon(['list', 'templates', ...broken('no-templates')]);
  assert.deepEqual([listed.code, JSON.parse(listed.stdout)], [0, { resourceTemplates: [] }], listed.stderr);
});

test('every verb blames a server that does not know a list it declares', async () => {
  for (const verb of ['list', 'doctor', 'check'])
    assert.equal(failureIn(await tenon([verb, ...broken('no-resources')]))['blame'], 'server', verb);
});

test('a check says which answer made it fail, and blames neither side for an error without a reason', async () => {
  const run = await tenon(['check', ...broken('list-error')]);
  assert.equal(run.code, 9);
  assert.match(
    String(failureIn(run)['message']),
    /^1 of \d+ checks failed: .*tools\/list was answered with an error: No database \(-32603\)/,
  );
  assert.equal(failureIn(run)['blame'], 'unknown');
});

test('no baseline is made of a list that could not be read', async () => {
  const file = at('baseline.json');
  const run = await tenon(['check', '--lint', '--baseline', file, ...broken('list-error')]);
  assert.deepEqual([run.code, existsSync(file)], [9, false]);
});

test('a file that cannot be used is a usage failure', async () => {
  writeFileSync(at('there.mcptrace'), 'mine');
  for (const args of [
    ['doctor', '-o', at('there.mcptrace')],
    ['check', '-o', at('there.mcptrace')],
    ['inspect', '--no-open', '-o', at('there.mcptrace')],
    ['doctor', '-o', at('no/such/folder.mcptrace')],
    ['check', '--lint', '--junit', at('no/such/folder.xml')],
    ['check', '--lint', '--sarif', folder],
    ['check', '--lint', '--baseline', folder],
    ['diff', folder],
    ['diff', at('missing.json')],
    ['test', '--file', folder],
  ]) {
    const run = await tenon([...args, ...broken('ok')]);
    assert.deepEqual([run.code, failureIn(run)['blame']], [2, 'you'], `${args.join(' ')}: ${run.stderr}`);
  }
  assert.equal(readFileSync(at('there.mcptrace'), 'utf8'), 'mine');
});

test('results are printed even if a report cannot be written', async () => {
  const run = await tenon(['check', '--lint', '--junit', folder, ...broken('ok')]);
  assert.match(run.stdout, /"rows":\[/);
  assert.equal(run.code, 2);
});

test('an unknown revision and a concurrency above the limit are rejected before anything starts', async () => {
  for (const args of [
    ['doctor', '--revision', '1999-01-01'],
    ['load', '--concurrency', '2147483647'],
    ['load', '--seconds', '2147483647'],
  ])
    assert.equal((await tenon([...args, ...broken('ok')])).code, 2, args.join(' '));
});

test('a name that is not in the configuration does not start a program of that name', async () => {
  const file = at('mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { weather: { command: 'true' } } }));
  const run = await tenon(['check', 'true', '--config', file]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /There is no server called true.*weather/);
});

test('a server that requires credentials is not reported as unreachable', async () => {
  const server = createServer((_request, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  for (const verb of ['doctor', 'check']) {
    const run = await tenon([verb, url], { env: { TENON_TOKENS: at('tokens.json') } });
    assert.equal(run.code, 3, run.stderr);
    assert.match(String(failureIn(run)['fix']), /tenon login/);
  }
  server.close();
});

test('every verb says that the sender of a web page or a refusal is unknown', async () => {
  let status = 200;
  const web = createServer((_, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Hi</title>'),
  );
  await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
  for (status of [200, 404])
    for (const verb of ['list', 'doctor', 'check']) {
      const run = await tenon([verb, url]);
      assert.deepEqual([run.code, failureIn(run)['blame']], [4, 'unknown'], `${verb} ${status}: ${run.stderr}`);
      const fix = 'Is the path right? There is no MCP server at /api/mcp, / or /sse either.';
      assert.equal(failureIn(run)['fix'], fix, `${verb} ${status}`);
    }
  web.close();
});

test('a token given with --header is the one that is sent', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  await tenon(['doctor', '--header', 'Authorization: Bearer given-by-hand-1', url], {
    env: { TENON_TOKENS: at('tokens.json') },
  });
  assert.ok(seen.length > 0 && seen.every((value) => value === 'Bearer given-by-hand-1'));
  server.close();
});

test('an update of tests leaves those without a response unchanged, and says so', async () => {
  const file = at('dead.test.json');
  const text = JSON.stringify({
    mcptest: 1,
    tests: [
      { name: 'a', tool: 'a', expect: { outcome: 'tool-error', checks: [{ at: '/content/0/text', equals: 'no' }] } },
    ],
  });
  writeFileSync(file, text);
  const run = await tenon(['test', '--update', '--file', file, ...broken('dies-at-call')]);
  assert.deepEqual([run.code, failureIn(run)['code']], [9, 'tests_failed']);
  assert.equal(readFileSync(file, 'utf8'), text);
});

test('the trace of a test run is written to the file of -o', async () => {
  const file = at('kept.test.json');
  writeFileSync(file, '{"mcptest":1,"tests":[{"name":"a","tool":"a"}]}');
  const run = await tenon(['test', '--file', file, '-o', at('kept.mcptrace'), ...broken('ok')]);
  assert.equal(run.code, 0, run.stderr);
  assert.match(readFileSync(at('kept.mcptrace'), 'utf8'), /tools\/call/);
});

test('a server over HTTP that rejects a revision with a status is not reported as broken', async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body) as {
        id?: number;
        method: string;
        params?: { protocolVersion?: string };
      };
      const json = (status: number, value: object): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'initialize')
        return json(200, {
          jsonrpc: '2.0',
          id,
          result: {
            protocolVersion: params?.protocolVersion,
            capabilities: {},
            serverInfo: { name: 'old', version: '1' },
          },
        });
      // As in the official SDK before a session: the id is not that of the request.
      const error = { code: -32000, message: 'Bad Request: Server not initialized' };
      return method === 'ping'
        ? json(200, { jsonrpc: '2.0', id, result: {} })
        : json(400, { jsonrpc: '2.0', id: null, error });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const run = await tenon(['check', '--era', 'all', `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`]);
  server.close();
  const rows = (JSON.parse(run.stdout) as { rows: { id: string; status: string }[] }).rows;
  assert.equal(rows.find(({ id }) => id === '2026-07-28')?.status, 'skip', run.stdout);
  assert.equal(run.code, 0, run.stderr);
});
