// Finds the tests that are nearest to a source file: those of its folder, then those that import it through the fewest other files.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesUnder, root } from '../lib/files.ts';

const MAX_TESTS = 25;
/** Excluded, because they take long: browser tests, tests with other implementations, and soak tests. */
const SLOW = /\/(?:browser|interop|soak)\//;

/** The test files nearest to a source file, nearest first. If fewer than the maximum import it, other tests of its package follow. */
export function nearestTests(path: string): readonly string[] {
  const folder = /^(?:packages|servers)\/[^/]+/.exec(path)![0];
  const files = filesUnder(folder).filter((file) => file.endsWith('.ts'));
  const tests = files.filter((file) => file.endsWith('.test.ts') && !SLOW.test(file));
  const distances = distancesTo(path, importersOf(files));
  const apart = (test: string): number => (dirname(test) === dirname(path) ? 0 : 1);
  const near = tests
    .filter((test) => distances.has(test))
    .toSorted((a, b) => apart(a) - apart(b) || distances.get(a)! - distances.get(b)!)
    .slice(0, MAX_TESTS);
  // Programs are tested as processes, and such tests do not import them.
  const asProcesses = tests.filter((test) => !distances.has(test)).slice(0, MAX_TESTS - near.length);
  return [...near, ...asProcesses];
}

/** For each file, the files that import it. */
function importersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    for (const [, imported] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const target = join(dirname(file), imported!);
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}

function distancesTo(path: string, importers: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const distances = new Map([[path, 0]]);
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}
