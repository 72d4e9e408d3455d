import { createRequire, register } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** Lets this process import TypeScript: Node does it from 22.18, 23.6 and 24 on. */
export function runTypeScript(): void {
  // `undefined` in older versions.
  if (process.features.typescript) return;
  const packageFolder = dirname(createRequire(import.meta.url).resolve('@tenon/cli/package.json'));
  register(pathToFileURL(join(packageFolder, 'dist', 'typescript', 'hooks.js')));
}
