// Streamable HTTP: one URL, with and without sessions, for clients of every revision.

import { nodeHandler } from 'tenon/http';
import app from './server.ts';

export const web = nodeHandler(app);
