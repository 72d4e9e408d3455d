// In a Hono application, on any runtime that Hono runs on: `export default web`, or @hono/node-server.
import { Hono } from 'hono';
import { serveFetch } from 'tenon/http';
import { app } from './app.ts';

export const mcp = serveFetch(app);
export const web = new Hono();
web.get('/', (c) => c.text('A page'));
web.all('/mcp', (c) => mcp.fetch(c.req.raw));
