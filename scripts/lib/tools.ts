// Runs the command of an installed package with the current Node: without a shell or PATH, the same on every platform.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

export type ToolResult = { status: number; output: string };

/** The script of a package's command; `command` is needed if the package has several or a differently named one. */
function toolPath(name: string, command?: string): string {
  const folder = join(root, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const path = typeof bin === 'string' ? bin : (bin[command ?? name] ?? Object.values(bin)[0]);
  if (!path) throw new Error(`${name} has no command ${command ?? name}`);
  return join(folder, path);
}

/** Runs a tool. Its output goes to the terminal, or is captured with `capture`. */
export function runTool(
  name: string,
  args: string[],
  { cwd = root, capture = false, command }: { cwd?: string; capture?: boolean; command?: string } = {},
): ToolResult {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [toolPath(name, command), ...args], {
    cwd,
    stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return { status: status ?? 1, output: `${stdout ?? ''}${stderr ?? ''}` };
}
