// In a fastify application. Fastify has read the body already: it is handed on.
import fastify from 'fastify';
import { nodeHandler } from 'tenon/http';
import { app } from './app.ts';

export const mcp = nodeHandler(app);
export const web = fastify();
web.get('/', () => 'A page');
web.all('/mcp', (request, reply) => {
  reply.hijack();
  mcp(Object.assign(request.raw, { body: request.body }), reply.raw);
});

if (import.meta.main) await web.listen({ port: 3000, host: '127.0.0.1' });
