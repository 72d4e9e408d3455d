// Preloaded by the test run: programs that a test starts with `process.execPath` use the compile cache, too (scripts/lib/caching-node.mjs).

import process from 'node:process';
import { cachingNode } from './lib/caching-node.mjs';

const cache = process.env['NODE_COMPILE_CACHE'];
if (cache !== undefined) process.execPath = cachingNode(process.execPath, cache);
