// The official client, version 1, over the HTTP+SSE transport of 2024-11-05.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { runSession } from './official-session.mjs';

await runSession({ Client, HttpTransport: SSEClientTransport });
