// The servers published by the project that maintains the protocol, started from the installed packages.

import { createRequire } from 'node:module';
import type { Command } from '../../src/entries/client.ts';

const resolve = createRequire(import.meta.url).resolve;

/** How to start `@modelcontextprotocol/server-<name>`. */
export function published(name: string, args: readonly string[] = [], env: Record<string, string> = {}): Command {
  return {
    command: process.execPath,
    args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
    env,
    graceMs: 500,
  };
}
