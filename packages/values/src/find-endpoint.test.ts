import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { findEndpoint, fixForPath, otherPaths } from './find-endpoint.ts';

async function serving(listener: RequestListener, use: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.closeAllConnections();
  server.close();
}

test('an endpoint at a usual path is found, without credentials, and whatever it answers to a ping', async () => {
  const fields: unknown[] = [];
  await serving(
    (request, response) => {
      fields.push(request.headers.authorization);
      if (request.url !== '/api/mcp' || request.method !== 'POST') return void response.writeHead(404).end();
      response.writeHead(400).end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"No session"},"id":null}');
    },
    async (origin) => {
      assert.equal(await findEndpoint(`${origin}/mcp?key=secret`), `${origin}/api/mcp`);
      assert.equal(await fixForPath(`${origin}/mcp`), `An MCP server answers at ${origin}/api/mcp`);
      assert.equal(
        await fixForPath(`${origin}/api/mcp`),
        'Is the path right? There is no MCP server at /mcp, / or /sse either.',
      );
    },
  );
  assert.ok(fields.length > 0 && fields.every((field) => field === undefined));
});

test('a path that is not found is no endpoint, even if the answer is an error of JSON-RPC', async () => {
  await serving(
    (_, response) =>
      void response.writeHead(404).end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"},"id":null}'),
    async (origin) => assert.equal(await findEndpoint(`${origin}/mcp`), undefined),
  );
});

test('a stream of HTTP+SSE is found by its first event, and other pages and streams are not endpoints', async () => {
  for (const [event, path] of [
    ['endpoint', '/sse'],
    ['message', undefined],
  ] as const)
    await serving(
      (request, response) => {
        if (request.url === '/') return void response.end('<h1>Welcome</h1>');
        if (request.url !== '/sse') return void response.writeHead(404).end('x'.repeat(100_000));
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`event: ${event}\ndata: /messages\n\n`);
        if (event === 'message') response.end();
      },
      async (origin) => {
        assert.equal(await findEndpoint(`${origin}/mcp`), path && `${origin}${path}`);
      },
    );
});

test('the path that was tried is not suggested', () => {
  assert.equal(otherPaths('http://localhost:1/mcp'), '/api/mcp, / or /sse');
  assert.equal(otherPaths('http://localhost:1/x'), '/mcp, /api/mcp, / or /sse');
});
