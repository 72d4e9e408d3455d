// As its own examples do it: in a session one server a session, else one a request.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { BIG, description, others, page, ready, sessions, STEPS, streams } from '../../tools.mjs';

const inputSchema = { text: z.string() };
function made() {
  const server = new McpServer({ name: 'official-v1', version: '1' });
  const echo = async ({ text }) => ({ content: [{ type: 'text', text }] });
  for (const name of ['echo', ...others]) server.registerTool(name, { description, inputSchema }, echo);
  server.registerTool('steps', { description }, async ({ _meta, sendNotification }) => {
    for (let progress = 1; progress <= STEPS; progress++)
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken: _meta.progressToken, progress, total: STEPS },
      });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerTool('big', { description }, async () => ({ content: [{ type: 'text', text: BIG }] }));
  const { uri, name, mimeType, text } = page;
  server.registerResource(name, uri, { mimeType }, async () => ({ contents: [{ uri, mimeType, text }] }));
  return server;
}

const known = new Map();
async function open() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: sessions ? randomUUID : undefined,
    enableJsonResponse: !streams,
    onsessioninitialized: (id) => void known.set(id, transport),
  });
  await made().connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  const transport = known.get(request.headers['mcp-session-id']) ?? (await open());
  if (!sessions) response.on('close', () => void transport.close());
  await transport.handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => ready(server.address().port));
