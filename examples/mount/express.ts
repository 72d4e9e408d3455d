// In an express application, beside other routes. It also works behind a body parser, but then express answers bodies that are too large.
import express from 'express';
import { nodeHandler } from 'tenon/http';
import { app } from './app.ts';

export const mcp = nodeHandler(app);
export const web = express();
web.all('/mcp', mcp);
web.use(express.json());
web.get('/', (_, response) => void response.send('A page'));

if (import.meta.main) web.listen(3000, '127.0.0.1');
