// The command with servers at a URL, and as an HTTP server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { server, tool } from 'tenon';
import { type ServedHttp, serveHttp } from 'tenon/node';
import { until } from '../../../scripts/lib/until.ts';
import { fixture, TENON, tenon } from './run-tenon.ts';
import { z } from 'zod';

let served: ServedHttp;
before(async () => {
  const app = server({
    name: 'far',
    version: '1.0.0',
    tools: {
      add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`),
      steps: tool({}, (_, ctx) => {
        ctx.progress({ progress: 1, total: 2 });
        return 'done';
      }),
      fail: tool({}, () => {
        throw new Error('secret');
      }),
    },
  });
  served = await serveHttp(app, { port: 0, signals: false, sse: true });
});
after(() => served.close());

test('a server at a URL is called like any other, in every era and over HTTP+SSE', async () => {
  for (const args of [[served.url], ['--revision', '2025-11-25', served.url], [served.url.replace(/mcp$/, 'sse')]]) {
    const { code: exit, stdout } = await tenon(['call', 'add', 'a=1', 'b=2', ...args]);
    assert.equal(exit, 0);
    assert.equal(JSON.parse(stdout).content[0].text, '3');
  }
  assert.equal((await tenon(['call', 'fail', served.url])).code, 5);
});

test('--trace shows the heads of requests and answers, and events, but nothing secret', async () => {
  const { stderr } = await tenon(['call', 'steps', '--trace', '--header', 'Authorization: Bearer SECRET', served.url]);
  assert.match(
    stderr,
    /http {3}POST http:\/\/127\.0\.0\.1:\d+\/mcp; authorization: …;.* mcp-method: tools\/call; mcp-name: steps/,
  );
  assert.match(stderr, /http {3}200; content-type: text\/event-stream/);
  assert.match(stderr, /http {3}event: message/);
  assert.doesNotMatch(stderr, /SECRET/);
});

test('--header is sent with every request, and a server that requires authorization is exit code 3', async () => {
  const seen: (string | undefined)[] = [];
  const guarded = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
  });
  await new Promise<void>((resolve) => guarded.listen(0, '127.0.0.1', resolve));
  const { port } = guarded.address() as { port: number };
  const { code: exit, stderr } = await tenon([
    'list',
    '--header',
    'Authorization: Bearer abc',
    `http://127.0.0.1:${port}/mcp`,
  ]);
  guarded.close();
  assert.equal(exit, 3);
  assert.deepEqual(seen, ['Bearer abc']);
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!);
  assert.deepEqual(
    [error.code, error.exit, error.evidence],
    ['unauthorized', 3, 'HTTP status 401, WWW-Authenticate: Bearer realm="x"'],
  );
  assert.doesNotMatch(stderr, /abc/);
});

test('a URL without a server, or with one that does not speak MCP, is unreachable', async () => {
  const web = createServer((_, response) => response.writeHead(404).end('<html>'));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as { port: number };
  const page = await tenon(['list', `http://127.0.0.1:${port}/`]);
  web.close();
  assert.equal(page.code, 4);
  assert.match(page.stderr, /no MCP server at this address/);
  const refused = await tenon(['list', `http://127.0.0.1:${port}/`]);
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /ECONNREFUSED/);
});

test('options that do not apply to a URL, or to a command, are reported', async () => {
  for (const args of [
    ['list', '--env', 'A=1', served.url],
    ['list', '--header', 'A: 1', '--', 'node', 'x.js'],
    ['list', '--header', 'nothing', served.url],
    ['list', '--', served.url, 'more'],
    ['raw', '--frame', '{}', served.url],
  ])
    assert.equal((await tenon(args)).code, 2, args.join(' '));
});

test('tenon run --http serves a file at a port, and a signal ends it', async () => {
  const child = spawn(process.execPath, [TENON, 'run', fixture('modern.ts'), '--http', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until(() => / at (http\S+)/.test(said));
  const { code: exit, stdout } = await tenon(['list', 'tools', / at (http\S+)/.exec(said)![1]!]);
  assert.equal(exit, 0);
  assert.ok(JSON.parse(stdout).tools.length > 0);
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
  child.kill('SIGTERM');
  assert.ok([143, 'SIGTERM', 130].includes((await ended) as never));
  assert.equal(printed, '', 'nothing on stdout');
  assert.equal((await tenon(['run', fixture('modern.ts'), '--http', 'port'])).code, 2);
});
