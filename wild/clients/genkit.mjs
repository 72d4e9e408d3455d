// Genkit's client.
import { createMcpClient } from '@genkit-ai/mcp';
import { genkit } from 'genkit';
import { finish, target } from './target.mjs';

const { url, command, env, call } = target();
const server = url === undefined ? { command: command[0], args: command.slice(1), env } : { url };
const client = createMcpClient({ name: 'it', mcpServer: server });
await client.ready();
const tools = await client.getActiveTools(genkit({}));
const names = tools.map((tool) => tool.__action.name.split('/').at(-1));
finish(names, call === undefined ? undefined : await tools[names.indexOf(call.tool)](call.args));
await client.disable();
