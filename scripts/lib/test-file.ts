// For test helpers whose resources must be released when the tests that use them end. Several test files may run in one process
// (scripts/test-group.mjs) and share such a module. A hook at the top level of the module would belong to the file that imported it first.

import { after } from 'node:test';

/** The test file of a group that is being loaded or run. */
let current: string | undefined;
/** The functions that run after the last file of a group. Undefined if the file has its own process. */
let ends: (() => unknown)[] | undefined;

/** Only for the runner of a group. Returns a function that releases what the files shared. */
export function beginGroup(): () => Promise<void> {
  const own: (() => unknown)[] = (ends = []);
  return async () => {
    for (const end of own.toReversed()) await end();
  };
}

/** Only for the runner of a group: sets the file that is loaded or run from now on. */
export function enterTestFile(path: string): void {
  current = path;
}

/**
 * A value that the tests of a file share. `end` runs after the last of them: the hook belongs to the file if it is asked for this for the
 * first time while it is loaded, and not in a test.
 */
export function perTestFile<T>(make: () => T, end: (made: T) => unknown): () => T {
  const made = new Map<string | undefined, T>();
  return () => {
    if (!made.has(current)) {
      const value = make();
      made.set(current, value);
      after(() => end(value));
    }
    return made.get(current)!;
  };
}

/** Runs `end` after the last test of this process. Call it while a module is being loaded. */
export function afterAllFiles(end: () => unknown): void {
  if (ends === undefined) after(end);
  else ends.push(end);
}
