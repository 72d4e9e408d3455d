import type { withLock as lockAndRun } from './lock-file.ts';

/**
 * Runs something while no other process runs anything under the same name: a file of that name tells that it is being done. What a process
 * that is gone left behind keeps nobody waiting. A process that slept too long may be taken for gone: `isOwn` tells whether the lock still
 * belongs to this run.
 *
 * @example await withLock('notes.json.lock', () => rewrite('notes.json'));
 */
export const withLock: typeof lockAndRun = async (lock, run) =>
  // A server that locks nothing does not load what locks need.
  (await import('./lock-file.ts')).withLock(lock, run);
