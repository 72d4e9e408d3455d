// The server of the suite as one file that any Node starts fast: bundled once per run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

let made: string | undefined;

/** The path of the program. */
export const program = (): string => {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-suite-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  made = join(folder, 'serve.mjs');
  buildSync({
    entryPoints: [fileURLToPath(new URL('serve.ts', import.meta.url))],
    outfile: made,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    logLevel: 'silent',
  });
  return made;
};
