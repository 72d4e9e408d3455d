// A session of the official client, version 1: prints what it found as JSON.
//   node v1.mjs [--call <tool> <json>] <url> | -- <command>
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
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
