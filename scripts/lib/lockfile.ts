// The lockfiles must install on every platform, and that of the repository from the public registry, wherever they were last written.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Entry = {
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
type Entries = Record<string, Entry>;

function entriesIn(folder: string): Entries {
  const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: Entries }).packages;
}

/** Lists dependencies without an entry, which `npm ci` rejects: npm leaves them out if they are for another platform and it cannot find them. */
function missingIn(packages: Entries): string[] {
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !names.has(name))
      .map((name) => `${path || 'the root'} needs ${name}, which is not in the lockfile`),
  );
}

/** Lists entries that do not come from registry.npmjs.org. */
function foreignIn(packages: Entries): string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .filter(([, { resolved }]) => !resolved?.startsWith('https://registry.npmjs.org/'))
    .map(([path, { resolved }]) => `${path} is resolved to ${resolved ?? 'nothing'}`);
}

/** Checks the lockfile of the repository and those of its folders. */
export function checkLockfiles(baseDir: string): string[] {
  const folders = readdirSync(baseDir).filter((name) => existsSync(join(baseDir, name, 'package-lock.json')));
  const main = entriesIn(baseDir);
  const others = folders.flatMap((name) =>
    missingIn(entriesIn(join(baseDir, name))).map((problem) => `${name}: ${problem}`),
  );
  return [...foreignIn(main), ...missingIn(main), ...others];
}
