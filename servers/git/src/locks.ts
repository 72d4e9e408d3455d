import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Unfinished } from './run.ts';

/** The lock files that are in a repository now: beside its own files, and beside its branches and tags. */
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

/** Says that git did not finish a change, what may be left of it, and what to do. */
export function unfinished({ running }: Unfinished, locks: readonly string[]): string {
  const state =
    running === undefined
      ? 'Git took too long and was stopped in the middle of a change: look at git_status before you go on.'
      : `Git takes too long and does not stop when it is asked to: process ${running} still runs.`;
  if (locks.length === 0) return state;
  const list = locks.map((lock) => JSON.stringify(lock)).join(', ');
  return `${state} The repository is locked by ${list}. When no other git uses it, remove ${locks.length === 1 ? 'this file' : 'these files'} to unlock it.`;
}
