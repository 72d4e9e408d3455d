// Mastra's client.
import { MCPClient } from '@mastra/mcp';
import { finish, target } from './target.mjs';

const { url, command, env, call } = target();
const server = url === undefined ? { command: command[0], args: command.slice(1), env } : { url: new URL(url) };
const client = new MCPClient({ servers: { it: server } });
const tools = await client.listTools();
finish(
  Object.keys(tools).map((name) => name.replace(/^it_/, '')),
  call === undefined ? undefined : await tools[`it_${call.tool}`].execute(call.args, {}),
);
await client.disconnect();
process.exit(0);
