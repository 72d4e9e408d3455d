import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { tool } from 'tmcp/utils';
import { z } from 'zod';
import { BIG } from '../../tools.mjs';

const server = new McpServer(
  { name: 'tmcp', version: '1' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool({ name: 'echo', description: 'Answers', schema: z.object({ text: z.string() }) }, ({ text }) =>
  tool.text(text),
);
server.tool({ name: 'big', description: 'Answers' }, () => tool.text(BIG));
new StdioTransport(server).listen();
