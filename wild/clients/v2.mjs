// A session of the official client, version 2.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { finish, target } from './target.mjs';

const { url, command, env, call } = target();
const client = new Client({ name: 'wild', version: '1.0.0' });
await client.connect(
  url === undefined
    ? new StdioClientTransport({ command: command[0], args: command.slice(1), env })
    : new StreamableHTTPClientTransport(new URL(url)),
);
const { tools } = await client.listTools();
const result = call === undefined ? undefined : await client.callTool({ name: call.tool, arguments: call.args });
finish(
  tools.map(({ name }) => name),
  result,
);
await client.close();
