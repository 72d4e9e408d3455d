// Proves that the portable entry points do not depend on Node: they must bundle for a browser without unresolved imports.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const entries = ['index', 'client', 'schema'];

/** Bundles the built entry points of the SDK for a browser, and lists imports that are Node built-ins or cannot be resolved. */
export async function checkPortable(baseDir: string): Promise<string[]> {
  const problems: string[] = [];
  for (const entry of entries) {
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
