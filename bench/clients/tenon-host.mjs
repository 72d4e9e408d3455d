// A host with one server in its own process, and a rule that allows the tool.
import { createHost } from '@tenon/host';
import { server as createServer, tool } from 'tenon';
import { z } from 'zod';
import { drive } from './drive.mjs';

const app = createServer({
  name: 'tenon',
  version: '1',
  tools: { echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text) },
});
const host = await createHost({ servers: { app }, rules: [{ effect: 'allow', tool: 'echo' }] });
await host.start();
drive(async (text) => (await host.call('app__echo', { text })).content[0].text);
