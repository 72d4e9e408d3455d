// HTTP+SSE of 2024-11-05, served by the official SDK, version 1, with express.
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import express from 'express';
import { z } from 'zod';
import { listen } from '../serving.ts';

const build = (): McpServer => {
  const mcp = new McpServer({ name: 'sse', version: '1.0.0' }, { capabilities: { logging: {} } });
  mcp.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  mcp.registerTool('log', {}, async () => {
    await mcp.sendLoggingMessage({ level: 'warning', logger: 'sse', data: 'The kettle boils' });
    return { content: [{ type: 'text', text: 'Logged' }] };
  });
  return mcp;
};

const open = new Map<string, SSEServerTransport>();
const web = express();

const begin = async (response: express.Response): Promise<void> => {
  const transport = new SSEServerTransport('/messages', response);
  open.set(transport.sessionId, transport);
  response.on('close', () => open.delete(transport.sessionId));
  await build().connect(transport);
};
web.get('/sse', (_, response, next) => void begin(response).catch(next));
web.post('/messages', (request, response, next) => {
  const transport = open.get(String(request.query['sessionId']));
  if (transport === undefined) response.status(404).send('There is no such session');
  else transport.handlePostMessage(request, response).catch(next);
});

listen(createServer(web), '/sse');
