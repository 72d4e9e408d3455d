import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from './env-file.ts';
import type { ServerConfig } from './server-config.ts';

export interface ExposedStateOptions {
  /** The folder of the state. */
  readonly state: string;
  readonly configs: readonly ServerConfig[];
  /** The roots of the host, as paths or `file://` URIs. */
  readonly roots: readonly string[];
  /** The folder that relative paths are relative to. */
  readonly folder: string;
}

/** The path without symbolic links; as it is if there is no such file. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The arguments of the program of a server, and the folder that they are relative to; undefined if none is started. */
function programOf({ launch }: ServerConfig): { readonly args: readonly string[]; readonly cwd?: string } | undefined {
  if (launch.kind === 'stdio') return launch;
  if (launch.kind !== 'value') return undefined;
  const { target } = launch;
  return typeof target === 'object' && 'command' in target ? { args: [], ...target } : undefined;
}

/** The path of a root; none if it is the URI of no path. */
function pathsIn(root: string): string[] {
  if (!root.startsWith('file:')) return [root];
  try {
    return [fileURLToPath(root)];
  } catch {
    return [];
  }
}

/** Folders that a server can be expected to change: those among its arguments (`.`, `/home/ann`, `--root=.`), and its roots. */
function foldersOf(config: ServerConfig, { roots, folder }: ExposedStateOptions): string[] {
  const program = programOf(config);
  const cwd = resolve(folder, program?.cwd ?? '.');
  const args = (program?.args ?? []).map((arg) => arg.slice(arg.startsWith('-') ? arg.indexOf('=') + 1 : 0));
  const given = (config.roots ?? roots).flatMap(pathsIn);
  return [...args.filter((arg) => arg !== '' && !arg.startsWith('-')), ...given].map((path) =>
    resolve(cwd, path.replaceAll('${workspaceFolder}', folder)),
  );
}

/**
 * Warnings about servers that were given a folder with the state in it. Whoever can change the state can grant itself anything, and rewrite what
 * was approved and what was done.
 */
export function findExposedState(options: ExposedStateOptions): string[] {
  const state = realPath(resolve(options.folder, options.state));
  return options.configs.flatMap((config) => {
    const folder = foldersOf(config, options).find((path) => {
      const real = realPath(path);
      return real === state || isInside(state, real);
    });
    if (folder === undefined) return [];
    return [
      `Server '${config.alias}' is given the folder ${folder}, in which the \`state\` of this host is: what it can change there decides what is ` +
        'allowed. Keep the state outside of all folders of servers',
    ];
  });
}
