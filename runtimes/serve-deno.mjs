import { serveFetch } from 'tenon/http';
import { app } from './app.mjs';

const { fetch } = serveFetch(app);
Deno.serve({
  port: 0,
  hostname: '127.0.0.1',
  handler: (request) => fetch(request),
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`),
});
