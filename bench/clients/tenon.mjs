import { server as createServer, tool } from 'tenon';
import { connect } from 'tenon/client';
import { z } from 'zod';
import { drive, server } from './drive.mjs';

function app() {
  return createServer({
    name: 'tenon',
    version: '1',
    tools: { echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text) },
  });
}
const target = server.memory
  ? app()
  : server.port === undefined
    ? { command: server.command, args: server.args }
    : `http://127.0.0.1:${server.port}/mcp`;
const client = await connect(target);
drive((text) => client.call('echo', { text }));
