// The server of the suite as a program, for the cells over stdio.
import { serveStdio } from '../../src/entries/node.ts';
import { app } from './app.ts';

await serveStdio(app());
