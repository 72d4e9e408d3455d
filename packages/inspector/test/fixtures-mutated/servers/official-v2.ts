// A server of the official SDK, version 2, in both eras: on stdin and stdout, or with `--http` on a port.
import { createServer } from 'node:http';
import process from 'node:process';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { listen } from '../serving.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

const build = (): McpServer => {
  const mcp = new McpServer(
    { name: 'official-v2', version: '1.0.0', title: 'Official, version 2' },
    { instructions: 'Call add first.', capabilities: { logging: {} } },
  );
  mcp.registerTool(
    'add',
    {
      title: 'Add',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  mcp.registerTool('fail', {}, () => ({ ...text('It did not work'), isError: true }));
  mcp.registerTool('log', {}, async ({ mcpReq }) => {
    await mcpReq.log('info', { kettle: 'on' }, 'v2');
    return text('Logged');
  });
  mcp.registerTool('ask', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'name');
    if (answer.kind === 'elicit') return text(JSON.stringify({ action: answer.action, content: answer.content }));
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: 'What is your name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        }),
      },
    });
  });
  mcp.registerResource('hours', 'shop://hours', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Monday to Friday' }],
  }));
  mcp.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }],
  }));
  return mcp;
};

if (process.argv.includes('--http')) listen(createServer(toNodeHandler(createMcpHandler(build))), '/mcp');
else serveStdio(build);
