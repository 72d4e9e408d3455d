// Finds npm. Plain JavaScript for Node 20, because it runs before anything is installed.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const windows = process.platform === 'win32';

/**
 * The command that starts npm: the npm that started this script, the one beside Node, or the one on the PATH.
 * Never uses the Node in node_modules, because `npm ci` removes it while it runs.
 *
 * @param {string} root
 * @returns {{ file: string, args: string[], shell: boolean }}
 */
export function npmCommand(root) {
  const installed = join(root, 'node_modules');
  const node = [process.env.npm_node_execpath, process.execPath].find(
    (path) => path && !path.startsWith(installed) && existsSync(path),
  );
  const beside = node ? dirname(node) : '';
  const scripts = [
    process.env.npm_execpath,
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const script = scripts.find((path) => path && /npm-cli\.c?js$/.test(path) && existsSync(path));
  if (node && script) return { file: node, args: [script], shell: false };
  return { file: windows ? 'npm.cmd' : 'npm', args: [], shell: windows };
}
