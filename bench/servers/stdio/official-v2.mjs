import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { BIG } from '../../tools.mjs';

const inputSchema = z.object({ text: z.string() });
serveStdio(() => {
  const made = new McpServer({ name: 'official-v2', version: '1' });
  made.registerTool('echo', { inputSchema }, async ({ text }) => ({ content: [{ type: 'text', text }] }));
  made.registerTool('big', {}, async () => ({ content: [{ type: 'text', text: BIG }] }));
  return made;
});
