// The official client, version 1.
//   node v1.mjs [--call <tool> <json>] <url> | -- <command>
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { runSession } from './official-session.mjs';

await runSession({ Client, StdioTransport: StdioClientTransport, HttpTransport: StreamableHTTPClientTransport });
