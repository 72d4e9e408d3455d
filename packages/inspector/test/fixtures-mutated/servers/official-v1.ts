// A server of the official SDK, version 1: on stdin and stdout, or with `--http` in sessions on a port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { listen } from '../serving.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

const build = (): McpServer => {
  const mcp = new McpServer(
    { name: 'official-v1', version: '1.0.0', title: 'Official, version 1' },
    { instructions: 'Call add first.', capabilities: { logging: {} } },
  );
  const sum = { sum: z.number() };
  mcp.registerTool(
    'add',
    { title: 'Add', inputSchema: { a: z.number(), b: z.number() }, outputSchema: sum },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  mcp.registerTool('fail', {}, () => ({ ...text('It did not work'), isError: true }));
  mcp.registerTool('log', {}, async () => {
    await mcp.sendLoggingMessage({ level: 'info', logger: 'v1', data: { kettle: 'on' } });
    return text('Logged');
  });
  mcp.registerTool('ask', {}, async () => {
    const { action, content } = await mcp.server.elicitInput({
      message: 'What is your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return text(JSON.stringify({ action, content }));
  });
  mcp.registerResource('hours', 'shop://hours', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Monday to Friday' }],
  }));
  mcp.registerResource(
    'note',
    new ResourceTemplate('note:///{id}', { list: undefined, complete: { id: () => ['1', '2'] } }),
    {},
    ({ href }, { id }) => ({ contents: [{ uri: href, text: `Note ${String(id)}` }] }),
  );
  const tone = completable(z.string().optional(), (typed) =>
    ['formal', 'funny'].filter((each) => each.startsWith(typed ?? '')),
  );
  mcp.registerPrompt('greet', { argsSchema: { name: z.string(), tone } }, ({ name, tone = 'plain' }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name} (${tone})` } }],
  }));
  return mcp;
};

const serveHttp = (): void => {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const web = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(String(id));
    if (id !== undefined && transport === undefined) return void response.writeHead(404).end();
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, made),
      });
      // The types of the SDK do not hold where optional properties are exact.
      await build().connect(made as never);
      transport = made;
    }
    await transport.handleRequest(request, response);
  });
  listen(web, '/mcp');
};

if (process.argv.includes('--http')) serveHttp();
else await build().connect(new StdioServerTransport());
