// Writes what each server costs into servers/README.md: how much longer it starts than the smallest server of the SDK, its code, and the
// packages that it installs besides `tenon`. Fails if a start takes far longer than allowed.
//   npm run server-figures [-- --rounds=21]
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startArguments } from '../servers/shared/test/start-arguments.ts';
import { root } from './lib/files.ts';
import { firstAnswer, paired } from './lib/start-times.ts';

/** How much longer than the smallest server a server may take to start. */
const BUDGET_MS = 40;
/** Times beyond the budget by this factor are not just noise. */
const GROSS = 2;
const START = '<!-- figures: servers -->';
const END = '<!-- /figures -->';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '11' } } });
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Manifest>>;
};

/** The place of a package that the one at `from` imports: in the nearest `node_modules` at or above it. */
function placeOf(name: string, from: string): string | undefined {
  const folders = from.split('/');
  return folders
    .map((_, up) => [...folders.slice(0, folders.length - up), 'node_modules', name].join('/'))
    .concat(`node_modules/${name}`)
    .find((place) => lock.packages[place] !== undefined);
}

/** The packages that are installed with a server, besides `tenon`. */
function packagesOf(name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (place: string): void => {
    for (const dependency of Object.keys(lock.packages[place]?.dependencies ?? {})) {
      const at = dependency === 'tenon' ? undefined : placeOf(dependency, place);
      if (at === undefined || found.has(at)) continue;
      found.add(at);
      add(at);
    }
  };
  add(`servers/${name}`);
  return found;
}

function bytesOf(name: string): number {
  return readdirSync(join(root, 'servers', name, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const folder = mkdtempSync(join(tmpdir(), 'tenon-figures-'));
const rows: string[] = [];
const names = readdirSync(join(root, 'servers')).filter((name) =>
  existsSync(join(root, 'servers', name, 'package.json')),
);
try {
  for (const name of names) {
    const command = [join(root, 'servers', name, 'bin', `server-${name}.js`), ...(startArguments(folder)[name] ?? [])];
    const { more } = await paired(
      Number(values.rounds),
      () => firstAnswer([join(root, 'scripts/fixtures/minimal-server.mjs')]),
      () => firstAnswer(command),
    );
    const row = `| ${name} | ${more.toFixed(0)} ms | ${(bytesOf(name) / 1024).toFixed(0)} KB | ${packagesOf(name).size} |`;
    console.log(row);
    rows.push(row);
    if (more > BUDGET_MS * GROSS) {
      console.log(
        `FAIL: ${name} starts ${more.toFixed(0)} ms later than the smallest server; ${BUDGET_MS} ms are allowed`,
      );
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const path = join(root, 'servers/README.md');
const text = readFileSync(path, 'utf8');
const [before, rest] = text.split(START) as [string, string];
const head = '| | start | code | packages |\n|---|--:|--:|--:|';
writeFileSync(path, `${before}${START}\n\n${head}\n${rows.join('\n')}\n\n${rest.slice(rest.indexOf(END))}`);
