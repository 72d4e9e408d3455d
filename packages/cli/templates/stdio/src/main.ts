import { serveStdio } from 'tenon/node';
import app from './server.ts';

await serveStdio(app);
