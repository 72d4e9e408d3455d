// The client of OpenAI's Agents SDK.
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import { finish, target } from './target.mjs';

const { url, command, env, call } = target();
const server =
  url === undefined
    ? new MCPServerStdio({ command: command[0], args: command.slice(1), env })
    : new MCPServerStreamableHttp({ url });
await server.connect();
const tools = await server.listTools();
finish(
  tools.map(({ name }) => name),
  call === undefined ? undefined : await server.callTool(call.tool, call.args),
);
await server.close();
