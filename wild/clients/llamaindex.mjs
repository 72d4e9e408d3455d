// The client among LlamaIndex's tools.
import { mcp } from '@llamaindex/tools';
import { finish, target } from './target.mjs';

const { url, command, env, call } = target();
const client = mcp(url === undefined ? { command: command[0], args: command.slice(1), env } : { url });
const tools = await client.tools();
finish(
  tools.map(({ metadata }) => metadata.name),
  call === undefined ? undefined : await tools.find(({ metadata }) => metadata.name === call.tool).call(call.args),
);
await client.cleanup();
