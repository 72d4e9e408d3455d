// A fixture as one file that any Node starts fast: bundled once per run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { ServeOptions } from '../../src/entries/index.ts';
import type { Command } from '../../src/entries/node.ts';
import type { Fixture } from './fixture.ts';

let folder: string | undefined;
const made = new Map<string, string>();

const folderOfPrograms = (): string => {
  if (folder !== undefined) return folder;
  const created = mkdtempSync(join(tmpdir(), 'tenon-suite-'));
  process.on('exit', () => rmSync(created, { recursive: true, force: true }));
  return (folder = created);
};

const sourceOf = ({ module, name }: Fixture): string => `
  import { serveStdio } from ${JSON.stringify(fileURLToPath(new URL('../../src/entries/node.ts', import.meta.url)))};
  import { ${name} as make } from ${JSON.stringify(fileURLToPath(module))};
  await serveStdio(make(), JSON.parse(process.argv[2]));
`;

const build = (fixture: Fixture): string => {
  const outfile = join(folderOfPrograms(), `${made.size}.mjs`);
  buildSync({
    stdin: { contents: sourceOf(fixture), resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    logLevel: 'silent',
  });
  return outfile;
};

/** The command that serves a fixture on stdio. The options have to be JSON. */
export const program = (fixture: Fixture, options: ServeOptions = {}): Command => {
  const key = `${fixture.module.href}#${fixture.name}`;
  const file = made.get(key) ?? build(fixture);
  made.set(key, file);
  return { command: process.execPath, args: [file, JSON.stringify(options)] };
};
