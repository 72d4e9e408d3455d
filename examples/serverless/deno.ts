// deno serve --allow-net --allow-env deno.ts
import process from 'node:process';
import { serveFetch } from 'tenon/http';
import { app } from './app.ts';

const { HOST = 'localhost', MCP_KEY } = process.env;

export default serveFetch(app, {
  allowedHosts: [HOST],
  keys: MCP_KEY === undefined ? undefined : [MCP_KEY],
});
