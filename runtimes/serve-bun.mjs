import { serveFetch } from 'tenon/http';
import { app } from './app.mjs';

const { fetch } = serveFetch(app);
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch });
console.log(`http://127.0.0.1:${server.port}/mcp`);
