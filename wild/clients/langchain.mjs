// LangChain's adapters.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { finish, target } from './target.mjs';

const { url, command, env, call } = target();
const server =
  url === undefined
    ? { transport: 'stdio', command: command[0], args: command.slice(1), env }
    : { transport: 'http', url };
const client = new MultiServerMCPClient({ mcpServers: { it: server } });
const tools = await client.getTools();
const found = tools.find(({ name }) => name.endsWith(call?.tool));
finish(
  tools.map(({ name }) => name),
  call === undefined ? undefined : await found.invoke(call.args),
);
await client.close();
