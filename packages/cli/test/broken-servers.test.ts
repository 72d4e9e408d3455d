// Every verb names the fault of a broken server, the side to blame and what to do, as the rules of the diagnosis do.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { failureIn, fixture, type Outcome, tenon } from './run-tenon.ts';
import { linesOf } from './traces.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-broken-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const env = { TENON_TOKENS: join(folder, 'tokens.json') };

function broken(fault: 'framing' | 'schema' | 'endless'): string[] {
  return ['--', process.execPath, fixture('broken.mjs'), fault];
}

/** Serves on a free port until the tests end. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
}

/** Everything that the command printed. */
function outputOf({ stdout, stderr }: Outcome): string {
  return stdout + stderr;
}

describe('a server whose metadata names another resource', async () => {
  const url = await serve(({ url = '', headers: { host } }, response) => {
    const at = `http://${host}/.well-known/oauth-protected-resource`;
    const isMetadata = url.startsWith('/.well-known/oauth-protected-resource');
    const status = isMetadata ? 200 : url.startsWith('/.well-known/') ? 404 : 401;
    const body = { resource: 'https://vault.internal.example/mcp', authorization_servers: ['http://127.0.0.1:4000'] };
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 401 ? { 'www-authenticate': `Bearer resource_metadata="${at}"` } : {}),
    });
    response.end(JSON.stringify(isMetadata ? body : {}));
  });
  const metadata = new URL('/.well-known/oauth-protected-resource', url).href;

  for (const args of [['login', '--paste'], ['list'], ['doctor'], ['check']]) {
    const [verb] = args;
    it(`is blamed by ${verb}, which says what to publish and suggests no other token`, async () => {
      const run = await tenon([...args, url], { env });
      const { blame, fix, message } = failureIn(run);
      assert.deepEqual([run.code, blame], [3, 'server'], run.stderr);
      assert.match(String(fix), /^Publish the address that clients use as "resource"/);
      assert.ok(
        String(message).endsWith(
          `The metadata at ${metadata} names https://vault.internal.example/mcp, but you called ${url} (another origin)`,
        ),
        String(message),
      );
      assert.doesNotMatch(outputOf(run), /own token|--header|Auth screen|tenon login/);
    });
    it(`is blamed in the check of the trace of ${verb}`, async () => {
      const file = join(folder, `${verb}.mcptrace`);
      await tenon([...args, url, '-o', file], { env });
      const lines = await linesOf(file);
      const steps = lines.filter(({ kind }) => kind === 'auth').map(({ http }) => [http?.part, http?.step]);
      assert.deepEqual(steps.slice(0, 2), [
        ['request', 'resource-metadata'],
        ['answer', 'resource-metadata'],
      ]);
      // The address of the metadata in the challenge is not a secret.
      assert.ok(lines.some(({ http }) => http?.headers?.['www-authenticate']?.includes(metadata)));
      const run = await tenon(['check', file]);
      assert.deepEqual([run.code, failureIn(run)['blame']], [9, 'server'], run.stderr);
      assert.match(run.stdout, /"rule":"auth-resource"/);
    });
  }
});

describe('a server of several processes that do not share their sessions', async () => {
  const sessions = [new Set<string>(), new Set<string>()];
  let turn = 0;
  const url = await serve(async (request, response) => {
    const text = (await request.toArray()).join('');
    const send = (status: number, value?: object, session?: string): unknown =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...(session && { 'mcp-session-id': session }) })
        .end(value && JSON.stringify({ jsonrpc: '2.0', ...value }));
    const mine = sessions[turn++ % 2]!;
    if (request.method !== 'POST') return send(405);
    const { id, method } = JSON.parse(text) as { id?: unknown; method: string };
    if (method === 'initialize') {
      const session = randomUUID();
      mine.add(session);
      const serverInfo = { name: 'invoices', version: '3.0.1' };
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
      return send(200, { id, result }, session);
    }
    if (!mine.has(String(request.headers['mcp-session-id'])))
      return send(404, { id: null, error: { code: -32_000, message: 'Session not found' } });
    if (id === undefined) return send(202);
    return send(200, { id, result: { tools: [{ name: 'total', inputSchema: { type: 'object' } }] } });
  });

  for (const verb of ['list', 'doctor', 'check'])
    it(`is blamed by ${verb}, which names the several processes first`, async () => {
      turn = 0;
      const run = await tenon([verb, url]);
      const { blame, fix } = failureIn(run);
      assert.equal(blame, 'server', run.stderr);
      assert.match(String(fix), /^Several processes/);
      assert.match(String(fix), /#several-nodes\b/);
      assert.doesNotMatch(outputOf(run), /An MCP server answers at/);
    });

  it('is said to refuse the other era in its own words', async () => {
    turn = 0;
    const { stdout } = await tenon(['doctor', url]);
    assert.match(stdout, /"id":"modern"[^}]*HTTP 404: Session not found/);
  });
});

describe('a server with the framing of the Language Server Protocol', () => {
  for (const args of [['list'], ['call', 'rate', 'currency=USD'], ['doctor'], ['check']]) {
    const [verb] = args;
    it(`is recognised at once by ${verb}`, async () => {
      const began = performance.now();
      const run = await tenon([...args, ...broken('framing')]);
      assert.ok(performance.now() - began < 15_000, 'too slow');
      const { blame, fix, message } = failureIn(run);
      assert.deepEqual([run.code, blame], [6, 'server'], run.stderr);
      assert.match(String(message), /framing of the Language Server Protocol/);
      assert.equal(fix, 'The framing of MCP is one message per line, without headers.');
      assert.doesNotMatch(outputOf(run), /more time|a part of a message|log to stderr|answers nothing/);
    });
  }

  it('is the only finding of doctor', async () => {
    const { stdout } = await tenon(['doctor', ...broken('framing')]);
    const { rows, findings } = JSON.parse(stdout) as {
      rows: { id: string; detail?: string }[];
      findings: { rule: string; blame: string }[];
    };
    assert.deepEqual(
      findings.map(({ rule, blame }) => [rule, blame]),
      [['stdout-noise', 'server']],
    );
    assert.match(rows.find(({ id }) => id === 'stdout')?.detail ?? '', /^\d+ lines? on stdout (?:is|are) not JSON-RPC/);
  });
});

describe('a fault that concerns only some arguments', () => {
  for (const verb of ['doctor', 'check'])
    it(`is announced by ${verb}, which calls no tool`, async () => {
      const run = await tenon([verb, '--text', ...broken('schema')]);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stdout, /No tool was called.*only some arguments/);
    });
});

it('a result that does not fit its output schema has the same fix from call as in the check of its trace', async () => {
  const file = join(folder, 'schema.mcptrace');
  const run = await tenon(['call', 'rate', 'currency=EUR', '-o', file, ...broken('schema')]);
  const checked = await tenon(['check', file]);
  assert.ok(failureIn(run)['fix'], run.stderr);
  assert.equal(failureIn(run)['fix'], failureIn(checked)['fix']);
});

it('a list whose pages never end has the same fix from list as from doctor', async () => {
  const run = await tenon(['list', 'resources', ...broken('endless')]);
  const doctor = await tenon(['doctor', ...broken('endless')]);
  assert.ok(failureIn(run)['fix'], run.stderr);
  assert.equal(failureIn(run)['fix'], failureIn(doctor)['fix']);
});
