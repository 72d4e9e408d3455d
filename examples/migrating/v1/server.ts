// The shop with the official SDK 1.x.

import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { HOURS, stock } from '../stock.ts';

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] };
}

/** One server is connected to one client, so every session needs a server of its own. */
export function createServer(): McpServer {
  const app = new McpServer(
    { name: 'shop', version: '1.0.0' },
    { instructions: 'Look up the stock before you promise anything.', capabilities: { logging: {} } },
  );
  addTools(app);
  addQuestions(app);
  addData(app);
  return app;
}

function addTools(app: McpServer): void {
  app.registerTool(
    'stock',
    {
      description: 'How many of an article there are',
      inputSchema: { article: z.string() },
      outputSchema: { count: z.number() },
      annotations: { readOnlyHint: true },
    },
    ({ article }) => {
      const count = stock.get(article);
      if (count === undefined) throw new Error(`There is no ${article}. Articles: ${[...stock.keys()].join(', ')}`);
      return { ...text(JSON.stringify({ count })), structuredContent: { count } };
    },
  );
  app.registerTool('recount', { description: 'Count everything again' }, async (extra) => {
    const progressToken = extra._meta?.progressToken;
    let progress = 0;
    for (const [article, count] of stock) {
      await app.sendLoggingMessage({ level: 'info', data: { article, count } }, extra.sessionId);
      if (progressToken !== undefined)
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: ++progress, total: stock.size, message: article },
        });
    }
    return text(`Counted ${stock.size} articles`);
  });
}

function addQuestions(app: McpServer): void {
  app.registerTool(
    'order',
    { description: 'Order an article', inputSchema: { article: z.string() } },
    async ({ article }) => {
      const answer = await app.server.elicitInput({
        message: `How many of ${article}?`,
        requestedSchema: {
          type: 'object',
          properties: { count: { type: 'integer', minimum: 1 } },
          required: ['count'],
        },
      });
      if (answer.action !== 'accept') return text('Ordered nothing');
      return text(`Ordered ${String(answer.content?.['count'])} of ${article}`);
    },
  );
  app.registerTool(
    'slogan',
    { description: 'Advertise an article', inputSchema: { article: z.string() } },
    async ({ article }) => {
      const { content } = await app.server.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: `A slogan for a ${article}` } }],
        maxTokens: 50,
      });
      return text(content.type === 'text' ? content.text : 'No slogan');
    },
  );
}

function addData(app: McpServer): void {
  app.registerResource('hours', 'shop://hours', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: HOURS }],
  }));
  const template = new ResourceTemplate('article:///{name}', {
    list: () => ({ resources: [...stock.keys()].map((name) => ({ uri: `article:///${name}`, name })) }),
    complete: { name: (typed) => [...stock.keys()].filter((name) => name.startsWith(typed)) },
  });
  app.registerResource('article', template, { mimeType: 'application/json' }, ({ href }, { name }) => ({
    contents: [
      { uri: href, mimeType: 'application/json', text: JSON.stringify({ name, count: stock.get(String(name)) }) },
    ],
  }));
  const article = completable(z.string(), (typed) => [...stock.keys()].filter((name) => name.startsWith(typed)));
  app.registerPrompt('offer', { argsSchema: { article } }, ({ article }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Write an offer for a ${article}.` } }],
  }));
}
