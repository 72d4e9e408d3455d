// In an express application, beside other routes. A body parser in front of it does no harm.
import express from 'express';
import { nodeHandler } from 'tenon/http';
import { app } from './app.ts';

export const mcp = nodeHandler(app);
export const web = express();
web.use(express.json());
web.get('/', (_, response) => void response.send('A page'));
web.all('/mcp', mcp);

if (import.meta.main) web.listen(3000, '127.0.0.1');
