// Proves that the portable entry points do not depend on Node: they must bundle for a browser without unresolved imports.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** These run on Node only. */
const NODE_ENTRIES: ReadonlySet<string> = new Set(['node', 'internal', 'internal-npm']);

/** Bundles the built entry points of the SDK for a browser, and lists imports that are Node built-ins or cannot be resolved. */
export async function checkPortable(baseDir: string): Promise<string[]> {
  const problems: string[] = [];
  const sources = await readdir(join(baseDir, 'packages/sdk/src/entries'));
  for (const entry of sources.map((file) => basename(file, '.ts'))) {
    if (NODE_ENTRIES.has(entry)) continue;
    const path = join(baseDir, 'packages/sdk/dist/entries', `${entry}.js`);
    if (!existsSync(path)) {
      problems.push(`packages/sdk/dist/entries/${entry}.js is missing`);
      continue;
    }
    const result = await build({
      entryPoints: [path],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      logLevel: 'silent',
    }).catch((error: { errors?: { text: string; location?: { file: string } }[] }) => error);
    for (const { text, location } of result.errors ?? [])
      problems.push(`entry ${entry}: ${text} (${location?.file ?? '?'})`);
  }
  return problems;
}
