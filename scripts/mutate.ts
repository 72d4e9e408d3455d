// Changes the sources in small ways, one at a time, and tells which changes no test notices.
// `npm run mutate -- --count=100 --seed=1`: that many changes, drawn at random from all packages; the same seed draws the same ones.
// `--only=5,13`: only these of them.
// The file is restored after each; the working tree must be clean.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { filesUnder, root } from './lib/files.ts';
import { seededRandom } from './lib/seeded-random.ts';
import { findMutants, type Mutant } from './mutate/mutants.ts';
import { nearestTests } from './mutate/nearest-tests.ts';

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});

/** How long the tests of one mutant may take, because a change may cause an endless loop. */
const MAX_MS = 240_000;
/** How many characters before and after a change say what it is about. */
const AROUND = 600;
/** How long one test may take. */
const TEST_MS = 60_000;

function isSource(path: string): boolean {
  return /^[^/]+\/[^/]+\/src\/.*\.ts$/.test(path) && !/\.test\.ts$|\.d\.ts$|\/fixtures\//.test(path);
}

function drawMutants(count: number, seed: number): readonly Mutant[] {
  const all = ['packages', 'servers']
    .flatMap((folder) => filesUnder(folder))
    .filter(isSource)
    .flatMap((path) => findMutants(path, readFileSync(join(root, path), 'utf8')));
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => all[Math.floor(random() * all.length)]!);
}

function run(script: string, ...args: string[]): boolean {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: 'ignore',
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
  });
  return status === 0;
}

/** The text around a place. */
function around(text: string, start: number): string {
  return text.slice(Math.max(0, start - AROUND), start + AROUND);
}

/** Whether a test fails, or the build does. */
function isNoticed({ path, start, end, text }: Mutant): boolean {
  const file = join(root, path);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, before.slice(0, start) + text + before.slice(end));
  try {
    return (
      !run('scripts/run.mjs', 'build', '--quiet') ||
      !run('scripts/test.ts', ...nearestTests(path, around(before, start)), `--limit=${TEST_MS}`)
    );
  } finally {
    writeFileSync(file, before);
  }
}

const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
if (stdout.trim() !== '') {
  console.error('There are changes that are not committed: commit them first, because files are changed and restored.');
  process.exit(1);
}
const mutants = drawMutants(Number(options.count), Number(options.seed));
const only = options.only?.split(',').map(Number);
let tried = 0;
let survived = 0;
for (const [index, mutant] of mutants.entries()) {
  if (only?.includes(index + 1) === false) continue;
  tried++;
  const noticed = isNoticed(mutant);
  if (!noticed) survived++;
  console.log(
    `${index + 1}/${mutants.length} ${noticed ? 'noticed ' : 'SURVIVED'} ${mutant.path}:${mutant.line}  ${mutant.change}`,
  );
}
run('scripts/run.mjs', 'build', '--quiet');
console.log(`${survived} of ${tried} changes were noticed by no test (seed ${options.seed}).`);
