// The handler of the SDK for stateless requests of both eras; sessions through its transport, as in its guide.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { BIG, description, others, page, ready, sessions, STEPS, streams } from '../../tools.mjs';

const inputSchema = z.object({ text: z.string() });
function made() {
  const server = new McpServer({ name: 'official-v2', version: '1' });
  const echo = async ({ text }) => ({ content: [{ type: 'text', text }] });
  for (const name of ['echo', ...others]) server.registerTool(name, { description, inputSchema }, echo);
  server.registerTool('steps', { description }, async (ctx) => {
    for (let progress = 1; progress <= STEPS; progress++)
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: ctx.mcpReq._meta.progressToken, progress, total: STEPS },
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
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: !streams,
    onsessioninitialized: (id) => void known.set(id, transport),
  });
  await made().connect(transport);
  return transport;
}

const alone = toNodeHandler(createMcpHandler(made));
const server = createServer(async (request, response) => {
  if (!sessions) return alone(request, response);
  const transport = known.get(request.headers['mcp-session-id']) ?? (await open());
  await transport.handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => ready(server.address().port));
