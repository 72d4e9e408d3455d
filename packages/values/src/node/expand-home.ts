import { homedir } from 'node:os';
import { join, sep } from 'node:path';

/** The path, with `~` at its start as the home folder of the user, where no shell has expanded it. */
export function expandHome(path: string): string {
  const isInHome = path === '~' || path.startsWith('~/') || path.startsWith(`~${sep}`);
  return isInHome ? join(homedir(), path.slice(1)) : path;
}
