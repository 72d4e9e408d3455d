// A Node for programs that tests start, which keeps what it has compiled. The SDK starts a server with a clean environment, so it is no
// variable of the tests that says so, but the program itself: a script that sets the variable and becomes Node. A test of what a program
// finds in its environment starts `process.argv[0]`, which is Node itself.

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The path of the script, which is made if it is not there. Node looks at the content of every file whose compiled code it takes from `cache`.
 * On Windows it is Node itself: there a script is no program.
 *
 * @param {string} node @param {string} cache an absolute path
 */
export function cachingNode(node, cache) {
  if (process.platform === 'win32') return node;
  const folder = join(cache, 'start');
  // The folder can be in a `PATH`, with Node under its usual name.
  const path = join(folder, 'node');
  const text = `#!/bin/sh\nNODE_COMPILE_CACHE=${quoted(cache)} exec ${quoted(node)} "$@"\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return path;
  mkdirSync(folder, { recursive: true });
  // Another process may start it meanwhile.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  chmodSync(own, 0o755);
  renameSync(own, path);
  return path;
}
