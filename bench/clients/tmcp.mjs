// Its client is a session of the transport in memory, for tests.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { InMemoryTransport } from '@tmcp/transport-in-memory';
import { McpServer } from 'tmcp';
import { tool } from 'tmcp/utils';
import { z } from 'zod';
import { drive } from './drive.mjs';

const app = new McpServer(
  { name: 'tmcp', version: '1' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
app.tool({ name: 'echo', description: 'Answers', schema: z.object({ text: z.string() }) }, ({ text }) =>
  tool.text(text),
);
const client = new InMemoryTransport(app).stateless({ clientInfo: { name: 'bench', version: '1' } });
drive(async (text) => (await client.callTool('echo', { text })).content[0].text);
