// The files of the repository, as paths relative to its root with forward slashes.

import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

const skipped = new Set(['node_modules', 'dist', '.git', '.cache']);

export function filesUnder(folder: string, base: string = root): string[] {
  const start = join(base, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesUnder(`${folder}/${entry.name}`, base);
      return entry.isFile() ? [relative(base, join(start, entry.name)).split(sep).join('/')] : [];
    })
    .sort();
}
