// The shop with the official SDK 2.x.

import {
  acceptedContent,
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { HOURS, stock } from '../stock.ts';

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] };
}

/** Called for every connection over stdio, and for every request over HTTP. */
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
      inputSchema: z.object({ article: z.string() }),
      outputSchema: z.object({ count: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ article }) => {
      const count = stock.get(article);
      if (count === undefined) throw new Error(`There is no ${article}. Articles: ${[...stock.keys()].join(', ')}`);
      return { ...text(JSON.stringify({ count })), structuredContent: { count } };
    },
  );
  app.registerTool('recount', { description: 'Count everything again' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    let progress = 0;
    for (const [article, count] of stock) {
      await mcpReq.log('info', { article, count });
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: ++progress, total: stock.size, message: article },
        });
    }
    return text(`Counted ${stock.size} articles`);
  });
}

const Count = z.object({ count: z.int().min(1) });

function addQuestions(app: McpServer): void {
  app.registerTool(
    'order',
    { description: 'Order an article', inputSchema: z.object({ article: z.string() }) },
    ({ article }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'count');
      if (answer.kind === 'elicit' && answer.action !== 'accept') return text('Ordered nothing');
      const accepted = acceptedContent(mcpReq.inputResponses, 'count', Count);
      if (accepted !== undefined) return text(`Ordered ${accepted.count} of ${article}`);
      return inputRequired({
        inputRequests: {
          count: inputRequired.elicit({
            message: `How many of ${article}?`,
            requestedSchema: {
              type: 'object',
              properties: { count: { type: 'integer', minimum: 1 } },
              required: ['count'],
            },
          }),
        },
      });
    },
  );
  app.registerTool(
    'slogan',
    { description: 'Advertise an article', inputSchema: z.object({ article: z.string() }) },
    ({ article }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'slogan');
      if (answer.kind === 'sampling') {
        const [content] = [answer.result.content].flat();
        return text(content?.type === 'text' ? content.text : 'No slogan');
      }
      return inputRequired({
        inputRequests: {
          slogan: inputRequired.createMessage({
            messages: [{ role: 'user', content: { type: 'text', text: `A slogan for a ${article}` } }],
            maxTokens: 50,
          }),
        },
      });
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
  app.registerPrompt('offer', { argsSchema: z.object({ article }) }, ({ article }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Write an offer for a ${article}.` } }],
  }));
}
