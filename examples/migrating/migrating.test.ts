// The same shop with the official SDK 1.x, with 2.x and with Tenon: every client gets the same answers from every server.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon/client';
import type { Report } from './report.ts';
import { visitShop as withTenon } from './tenon/client.ts';
import { web as tenonWeb } from './tenon/http.ts';
import { visitShop as withV1 } from './v1/client.ts';
import { web as v1Web } from './v1/http.ts';
import { visitShop as withV2 } from './v2/client.ts';
import { web as v2Web } from './v2/http.ts';

const CLIENTS = { v1: withV1, v2: withV2, tenon: withTenon };
const SERVERS = ['v1', 'v2', 'tenon'] as const;

const EXPECTED: Report = {
  name: 'shop',
  instructions: 'Look up the stock before you promise anything.',
  tools: ['stock', 'recount', 'order', 'slogan'],
  stock: { structured: { count: 4 }, content: [{ type: 'text', text: '{"count":4}' }] },
  unknown: { isError: true, content: [{ type: 'text', text: 'There is no sofa. Articles: chair, table' }] },
  recount: {
    content: [{ type: 'text', text: 'Counted 2 articles' }],
    progress: [
      { progress: 1, total: 2, message: 'chair' },
      { progress: 2, total: 2, message: 'table' },
    ],
    log: [
      { article: 'chair', count: 4 },
      { article: 'table', count: 1 },
    ],
  },
  order: [{ type: 'text', text: 'Ordered 2 of chair' }],
  slogan: [{ type: 'text', text: 'Sit down!' }],
  resources: ['shop://hours', 'article:///chair', 'article:///table'],
  article: [{ uri: 'article:///table', mimeType: 'application/json', text: '{"name":"table","count":1}' }],
  offer: [{ role: 'user', content: { type: 'text', text: 'Write an offer for a table.' } }],
  completion: ['chair'],
};

for (const server of SERVERS) {
  for (const [client, visitShop] of Object.entries(CLIENTS)) {
    test(`over stdio, the client of ${client} gets the same answers from the server of ${server}`, async () => {
      const program = fileURLToPath(new URL(`${server}/stdio.ts`, import.meta.url));
      const report = await visitShop(process.execPath, [program]);
      // Clients of the official SDK drop progress that arrives in one chunk with the result, which a busy machine causes with any server.
      const seen = client === 'tenon' ? EXPECTED.recount.progress.length : report.recount.progress.length;
      assert.deepEqual(report.recount.progress, EXPECTED.recount.progress.slice(0, seen));
      const { progress } = EXPECTED.recount;
      assert.deepEqual({ ...report, recount: { ...report.recount, progress } }, EXPECTED);
    });
  }
}

for (const [server, web] of Object.entries({ v1: v1Web as RequestListener, v2: v2Web, tenon: tenonWeb })) {
  test(`over HTTP, the server of ${server} gives the same answers`, async () => {
    const listener = createServer(web).listen(0, '127.0.0.1');
    try {
      await once(listener, 'listening');
      const { port } = listener.address() as AddressInfo;
      await using client = await connect(`http://127.0.0.1:${port}/mcp`, { elicit: () => ({ action: 'cancel' }) });
      assert.deepEqual(await client.call('stock', { article: 'chair' }), { count: 4 });
      assert.equal(await client.call('order', { article: 'chair' }), 'Ordered nothing');
      assert.deepEqual((await client.read('article:///table')).contents, EXPECTED.article);
    } finally {
      listener.closeAllConnections();
      listener.close();
    }
  });
}
