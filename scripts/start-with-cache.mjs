// Preloaded by the test run: what a test starts with `process.execPath` keeps its compiled code, too (scripts/lib/caching-node.mjs).

import process from 'node:process';
import { cachingNode } from './lib/caching-node.mjs';

const cache = process.env['NODE_COMPILE_CACHE'];
if (cache !== undefined) process.execPath = cachingNode(process.execPath, cache);
