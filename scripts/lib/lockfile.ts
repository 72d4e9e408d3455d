// The lockfile must install on every platform and from the public registry, wherever it was last written.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Entry = {
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/** Lists entries that do not come from registry.npmjs.org, and dependencies without an entry, which `npm ci` rejects. */
export function checkLockfile(baseDir: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(baseDir, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>;
  };
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const problems: string[] = [];
  for (const [path, { resolved, link, ...entry }] of Object.entries(packages)) {
    if (path.includes('node_modules/') && !link && !resolved?.startsWith('https://registry.npmjs.org/')) {
      problems.push(`${path} is resolved to ${resolved ?? 'nothing'}`);
    }
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      if (!names.has(name)) problems.push(`${path || 'the root'} needs ${name}, which is not in the lockfile`);
    }
  }
  return problems;
}
