// Streamable HTTP with sessions: the program keeps the transports, and finds the one of each request.

import { randomUUID } from 'node:crypto';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Request, Response } from 'express';
import { createServer } from './server.ts';

const sessions = new Map<string, StreamableHTTPServerTransport>();

async function handle(request: Request, response: Response): Promise<void> {
  const id = request.headers['mcp-session-id'];
  if (typeof id === 'string') {
    const transport = sessions.get(id);
    if (transport === undefined)
      return void response
        .status(404)
        .json({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null });
    return transport.handleRequest(request, response, request.body);
  }
  if (!isInitializeRequest(request.body))
    return void response
      .status(400)
      .json({ jsonrpc: '2.0', error: { code: -32000, message: 'The session id is missing' }, id: null });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
  });
  await createServer().connect(transport);
  await transport.handleRequest(request, response, request.body);
}

export const web = createMcpExpressApp();
web.all('/mcp', (request, response, next) => void handle(request, response).catch(next));
