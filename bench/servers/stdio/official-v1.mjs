import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { BIG } from '../../tools.mjs';

const made = new McpServer({ name: 'official-v1', version: '1' });
made.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => ({
  content: [{ type: 'text', text }],
}));
made.registerTool('big', {}, async () => ({ content: [{ type: 'text', text: BIG }] }));
await made.connect(new StdioServerTransport());
