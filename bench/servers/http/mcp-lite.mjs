import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { BIG, description, others, page, ready, sessions, STEPS } from '../../tools.mjs';

const inputSchema = z.object({ text: z.string() });
const server = new McpServer({ name: 'mcp-lite', version: '1', schemaAdapter: (schema) => z.toJSONSchema(schema) });
function handler({ text }) {
  return { content: [{ type: 'text', text }] };
}
for (const name of ['echo', ...others]) server.tool(name, { description, inputSchema, handler });
server.tool('steps', {
  description,
  handler: async (_, ctx) => {
    for (let progress = 1; progress <= STEPS; progress++) await ctx.progress({ progress, total: STEPS });
    return { content: [{ type: 'text', text: 'done' }] };
  },
});
server.tool('big', { description, handler: () => ({ content: [{ type: 'text', text: BIG }] }) });
const { uri, name, mimeType, text } = page;
server.resource(uri, { name, mimeType }, () => ({ contents: [{ uri, type: 'text', mimeType, text }] }));
const transport = new StreamableHttpTransport(
  sessions ? { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) } : {},
);
const handle = transport.bind(server);
const app = new Hono();
app.all('/mcp', (c) => handle(c.req.raw));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port));
