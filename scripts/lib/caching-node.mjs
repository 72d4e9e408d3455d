// A Node with a compile cache, for programs that tests start. The SDK starts servers with a clean environment, so tests cannot set
// NODE_COMPILE_CACHE. Instead, they start a script that sets the variable and then runs Node. A test about a program's environment starts
// `process.argv[0]`, which is Node without the script.

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The path of the script, which is made if it is not there. Node looks at the content of every file whose compiled code it takes from
 * `cache`. On Windows it is Node itself, because a script is not executable there.
 *
 * @param {string} node @param {string} cache an absolute path
 */
export function cachingNode(node, cache) {
  if (process.platform === 'win32') return node;
  const folder = join(cache, 'start');
  // The script has the name of Node, so that the folder can be used in a `PATH`.
  const path = join(folder, 'node');
  const text = `#!/bin/sh\nNODE_COMPILE_CACHE=${quoted(cache)} exec ${quoted(node)} "$@"\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return path;
  mkdirSync(folder, { recursive: true });
  // Rename it into place, because another process may start it meanwhile.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  chmodSync(own, 0o755);
  renameSync(own, path);
  return path;
}
