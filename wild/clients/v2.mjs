// The official client, version 2.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { runSession } from './official-session.mjs';

await runSession({ Client, StdioTransport: StdioClientTransport, HttpTransport: StreamableHTTPClientTransport });
