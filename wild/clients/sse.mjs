// A session of the official client, version 1, over the HTTP+SSE transport of 2024-11-05.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { finish, target } from './target.mjs';

const { url, call } = target();
const client = new Client({ name: 'wild', version: '1.0.0' });
await client.connect(new SSEClientTransport(new URL(url)));
const { tools } = await client.listTools();
const result = call === undefined ? undefined : await client.callTool({ name: call.tool, arguments: call.args });
finish(
  tools.map(({ name }) => name),
  result,
);
await client.close();
