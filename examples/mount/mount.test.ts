import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { serve } from '@hono/node-server';
import createExpress from 'express';
import { connect, type ConnectOptions, type Revision } from 'tenon/client';
import { mcp as inExpress, web as express } from './express.ts';
import { mcp as inFastify, web as fastify } from './fastify.ts';
import { mcp as inHono, web as hono } from './hono.ts';

async function greeted(url: string, options: ConnectOptions = {}): Promise<void> {
  for (const revision of ['2026-07-28', '2025-11-25', '2025-03-26'] as Revision[]) {
    const seen: number[] = [];
    await using client = await connect(url, {
      ...options,
      revision,
      elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    assert.equal(client.revision, revision);
    const call = client.call('greet', {}, { onProgress: ({ progress }) => seen.push(progress) });
    if (revision < '2025-06-18') await assert.rejects(call, { name: 'ToolError' });
    else assert.equal(await call, 'Hello, Ada!');
    assert.ok(seen.length > 0);
  }
}

async function listening(server: Server): Promise<string> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('express serves it beside other routes, before and behind a body parser', async () => {
  const url = await listening(createServer(express).listen(0, '127.0.0.1'));
  await greeted(`${url}/mcp`);
  assert.equal(await (await fetch(url)).text(), 'A page');
  const parsing = createExpress().use(createExpress.json()).all('/mcp', inExpress);
  await greeted(`${await listening(createServer(parsing).listen(0, '127.0.0.1'))}/mcp`);
  await inExpress.close();
});

test('fastify serves it beside other routes, with a parsed body', async () => {
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const url = await listening(fastify.server);
  await greeted(`${url}/mcp`);
  assert.equal(await (await fetch(url)).text(), 'A page');
  await inFastify.close();
});

test('Hono serves it beside other routes', async () => {
  const url = await listening(serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  await greeted(`${url}/mcp`);
  assert.equal(await (await fetch(url)).text(), 'A page');
  await inHono.close();
});
