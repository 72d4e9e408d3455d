import { server, tool } from 'tenon';
import { serveStdio } from 'tenon/node';

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
await serveStdio(server({ name: 'tenon', version: '1', tools: { echo: tool({ input }, ({ text }) => text) } }));
