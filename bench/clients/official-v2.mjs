import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { drive, server } from './drive.mjs';

const client = new Client({ name: 'bench', version: '1' });
async function memoryTransport() {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const app = new McpServer({ name: 'official', version: '1' });
  app.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  await app.connect(theirs);
  return ours;
}

await client.connect(
  server.memory
    ? await memoryTransport()
    : server.port === undefined
      ? new StdioClientTransport({ command: server.command, args: server.args, stderr: 'inherit' })
      : new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.port}/mcp`)),
);
drive(async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text);
