// Custom methods and notifications of a server, and its messages between calls, with the clients of the official SDK.

import assert from 'node:assert/strict';
import { before, after, test } from 'node:test';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { serveHttp } from '../../src/entries/node.ts';
import { own } from '../suite/fixtures/own.ts';
import { queue } from './queue.ts';

const program = fileURLToPath(new URL('../suite/fixtures/own-program.ts', import.meta.url));

let served: Awaited<ReturnType<typeof serveHttp>>;
before(async () => {
  served = await serveHttp(own.make(), { port: 0, signals: false, sse: true });
});
after(() => served.close());

const transports = {
  stdio: () =>
    new StdioClientTransport({
      command: process.execPath,
      args: ['--conditions=tenon-source', program],
      stderr: 'inherit',
    }),
  'Streamable HTTP': () => new StreamableHTTPClientTransport(new URL(served.url)),
  'HTTP+SSE': () => new SSEClientTransport(new URL(served.url.replace(/mcp$/, 'sse'))),
};

for (const [name, makeTransport] of Object.entries(transports))
  test(`the official v1 client receives messages and answers requests between calls, over ${name}`, async () => {
    const heard = queue<readonly [string, unknown]>();
    const client = new ClientV1(
      { name: 'official', version: '1' },
      {
        capabilities: { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, experimental: { quick: {} } },
      },
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { color: 'blue' } },
    );
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///theirs' }] }));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => heard.put(['log', params.data]));
    client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) =>
      heard.put(['complete', params.elicitationId]),
    );
    client.fallbackNotificationHandler = async ({ method, params }) => heard.put([method, params]);
    await client.connect(makeTransport());
    try {
      assert.deepEqual(client.getServerCapabilities()?.experimental, { fast: { level: 2 } });
      const hits = z.looseObject({ hits: z.array(z.string()) });
      const found = await client.request({ method: 'acme/search', params: { text: 'tea' } } as never, hits);
      assert.deepEqual(found.hits, ['tea']);

      await client.notification({ method: 'notifications/acme/viewed', params: { page: 'home' } } as never);
      await client.notification({ method: 'notifications/roots/list_changed' });
      assert.equal((await heard.take())[0], 'notifications/acme/roots-seen');
      const seen = JSON.stringify(await client.callTool({ name: 'seen' }));
      for (const part of ['initialized', 'viewed home', 'roots file:///theirs']) assert.ok(seen.includes(part), seen);

      await client.callTool({ name: 'later' });
      assert.deepEqual(await heard.take(), ['log', 'after the call']);
      assert.deepEqual(await heard.take(), ['notifications/acme/later', { client: 'official' }]);
      for (const _ of [1, 2])
        assert.deepEqual(await heard.take(), ['notifications/acme/answered', { answer: { color: 'blue' } }]);

      await client.callTool({ name: 'page' });
      const [method, id] = await heard.take();
      assert.equal(method, 'complete');
      assert.match(String(id), /:page$/);
    } finally {
      await client.close();
    }
  });
