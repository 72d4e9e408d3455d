// A fixture as one file that any Node starts fast. Bundled once per state of the sources: the test files, which run in separate processes,
// share it in a temporary folder.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { Command, StdioOptions } from '../../src/entries/node.ts';
import type { Fixture } from './fixture.ts';

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

const CACHE = pathOf('../../../../node_modules/.cache/tenon-suite');
const SOURCES = [pathOf('../../src'), pathOf('..')];
const KEPT_MS = 3_600_000;

/** A digest of all sources of a program except its packages, which are pinned. */
function stateOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(pathOf('../../../../package-lock.json')));
  for (const folder of SOURCES) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (name.endsWith('.ts') && !name.endsWith('.test.ts'))
        hash.update(name).update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function prune(kept: string): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (path !== kept && Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

let folder: string | undefined;
function folderOfPrograms(): string {
  if (folder !== undefined) return folder;
  folder = join(CACHE, stateOfSources());
  mkdirSync(folder, { recursive: true });
  prune(folder);
  return folder;
}

function sourceOf({ module, name }: Fixture): string {
  return `
  import { serveStdio } from ${JSON.stringify(pathOf('../../src/entries/node.ts'))};
  import { ${name} as make } from ${JSON.stringify(fileURLToPath(module))};
  await serveStdio(make(), JSON.parse(process.argv[2]));
`;
}

function build(fixture: Fixture, file: string): void {
  // Another test file may create the same one at the same time.
  const own = `${file}.${process.pid}`;
  buildSync({
    stdin: { contents: sourceOf(fixture), resolveDir: pathOf('.'), loader: 'ts' },
    outfile: own,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['tenon-source'],
    minifyWhitespace: true,
    logLevel: 'silent',
  });
  renameSync(own, file);
}

/** The command that serves a fixture on stdio. The options have to be JSON. */
export function program(fixture: Fixture, options: StdioOptions = {}): Command {
  const file = join(folderOfPrograms(), `${basename(fixture.module.pathname, '.ts')}-${fixture.name}.mjs`);
  if (!existsSync(file)) build(fixture, file);
  return {
    command: process.execPath,
    args: [file, JSON.stringify(options)],
    env: { NODE_COMPILE_CACHE: join(folderOfPrograms(), 'compiled') },
  };
}
