// Finds the tests that are nearest to a place in a source file: those of its folder, then those whose words have most in common with it.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesUnder, root } from '../lib/files.ts';

const MAX_TESTS = 25;
/** How many of them may be of the folder of the source file. */
const MAX_OF_FOLDER = 12;
/** Tests of a browser, of other people's programs and of many rounds take long, and are nearest to nothing. */
const SLOW = /\/(?:browser|interop|soak)\//;

/**
 * The test files nearest to a source file, nearest first. `about` is the text around the place that is changed. Programs are tested as processes,
 * which import nothing: that a test imports the file counts only in its folder.
 */
export function nearestTests(path: string, about = ''): readonly string[] {
  const folder = /^(?:packages|servers)\/[^/]+/.exec(path)![0];
  const files = filesUnder(folder).filter((file) => file.endsWith('.ts'));
  const tests = files.filter((file) => file.endsWith('.test.ts') && !SLOW.test(file));
  const distances = distancesTo(path, importersOf(files));
  const ofFolder = tests
    .filter((test) => dirname(test) === dirname(path) && distances.has(test))
    .toSorted((a, b) => distances.get(a)! - distances.get(b)!)
    .slice(0, MAX_OF_FOLDER);
  const others = tests.filter((test) => !ofFolder.includes(test));
  const scores = scoresOf(others, wordsIn(`${path.slice(folder.length)} ${about}`));
  const alike = others.toSorted((a, b) => scores.get(b)! - scores.get(a)!);
  return [...ofFolder, ...alike].slice(0, MAX_TESTS);
}

/** For each test, how much its words have in common with the wanted ones. A word that few tests have counts more. */
function scoresOf(tests: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const words = new Map(tests.map((test) => [test, wordsIn(`${test} ${readFileSync(join(root, test), 'utf8')}`)]));
  const counts = new Map<string, number>();
  for (const found of words.values()) for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  const score = (found: ReadonlySet<string>): number => {
    let sum = 0;
    for (const word of wanted) if (found.has(word)) sum += Math.log(tests.length / counts.get(word)!);
    // Long tests have more words of every kind.
    return sum / Math.log(found.size + 2);
  };
  return new Map([...words].map(([test, found]) => [test, score(found)]));
}

/** The words of a text, also those inside of names. */
function wordsIn(text: string): ReadonlySet<string> {
  const words =
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? [];
  // `tasks` is `task`.
  return new Set(words.map((word) => word.replace(/s$/, '')));
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
