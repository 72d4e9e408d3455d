// Streamable HTTP: every request gets a server of its own, and older clients are served without sessions.

import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from './server.ts';

const mcp = toNodeHandler(createMcpHandler(createServer));
const isAllowedHost = localhostHostValidation();
const isAllowedOrigin = localhostOriginValidation();

export function web(request: IncomingMessage, response: ServerResponse): void {
  if (isAllowedHost(request, response) && isAllowedOrigin(request, response)) void mcp(request, response);
}
