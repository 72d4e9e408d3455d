import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Unfinished } from './run.ts';

/** The lock files that exist in a repository now: in its git folders, and for its refs. */
export async function locksIn(gitDirs: readonly string[]): Promise<string[]> {
  const locks = new Set<string>();
  for (const gitDir of gitDirs)
    for (const [folder, recursive] of [
      [gitDir, false],
      [join(gitDir, 'refs'), true],
    ] as const)
      for (const name of await readdir(folder, { recursive }).catch(() => []))
        if (name.endsWith('.lock')) locks.add(join(folder, name));
  return [...locks].sort();
}

/** The message for a change that git did not finish: the state that it may have left, and what to do. */
export function unfinished({ running }: Unfinished, locks: readonly string[]): string {
  const state =
    running === undefined
      ? 'Git took too long and was stopped in the middle of a change: check git_status before you continue.'
      : `Git takes too long and does not stop on SIGTERM: process ${running} is still running.`;
  if (locks.length === 0) return state;
  const list = locks.map((lock) => JSON.stringify(lock)).join(', ');
  return `${state} The repository is locked by ${list}. If no other git process uses it, remove ${locks.length === 1 ? 'this file' : 'these files'} to unlock it.`;
}
