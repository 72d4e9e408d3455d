// As in its documentation: node:http with the listener of @remix-run/node-fetch-server.
import { createServer } from 'node:http';
import { createRequestListener } from '@remix-run/node-fetch-server';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { McpServer } from 'tmcp';
import { resource, tool } from 'tmcp/utils';
import { z } from 'zod';
import { BIG, description, others, page, ready, STEPS } from '../../tools.mjs';

const server = new McpServer(
  { name: 'tmcp', version: '1' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {}, resources: {} } },
);
const schema = z.object({ text: z.string() });
for (const name of ['echo', ...others]) server.tool({ name, description, schema }, ({ text }) => tool.text(text));
server.tool({ name: 'steps', description }, () => {
  for (let step = 1; step <= STEPS; step++) server.progress(step, STEPS);
  return tool.text('done');
});
server.tool({ name: 'big', description }, () => tool.text(BIG));
const { uri, name, mimeType } = page;
server.resource({ name, description, uri, mimeType }, () => resource.text(uri, page.text, mimeType));

const transport = new HttpTransport(server, { path: '/mcp' });
const http = createServer(
  createRequestListener(async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
);
http.listen(0, '127.0.0.1', () => ready(http.address().port));
