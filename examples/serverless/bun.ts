// bun bun.ts
import process from 'node:process';
import { serveFetch } from 'tenon/http';
import { app } from './app.ts';

const { HOST = 'localhost', PORT = '3000', MCP_KEY } = process.env;
const { fetch } = serveFetch(app, {
  allowedHosts: [HOST],
  keys: MCP_KEY === undefined ? undefined : [MCP_KEY],
});

// Bun closes a connection that is quiet for ten seconds. The server sends a comment every 15 seconds (keepAliveMs).
export default { port: Number(PORT), idleTimeout: 60, fetch };
