// Runs every test of the repository in one `node --test`, and fails also when nothing ran.
// Arguments: parts of file paths to narrow the run, and options of `node --test` such as --test-name-pattern=…
// With --soak (`npm run soak`): only the tests of many rounds or rows, with all of them.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browserForTests } from './lib/chromium.ts';
import { filesUnder, root } from './lib/files.ts';

type Totals = { tests: number; passed: number; failed: number; cancelled: number; skipped: number; todo: number };

/** Files at a time for each core: a test that starts processes or browsers mostly waits for them. */
const FILES_PER_CORE = 2;
const SLOWEST = 10;

const soak = process.argv.includes('--soak');
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-') && argument !== '--soak');
const parts = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

const files = ['packages', 'servers', 'examples', 'conformance', 'scripts']
  .flatMap((folder) => filesUnder(folder))
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .filter((path) => !soak || readFileSync(join(root, path), 'utf8').includes('/lib/soak.ts'));
if (files.length === 0) {
  console.error('No test file matches.');
  process.exit(1);
}

// Before several files at a time look for it and install it.
if (files.some((path) => path.includes('browser'))) browserForTests();

const folder = mkdtempSync(join(tmpdir(), 'tenon-tests-'));
const countsFile = join(folder, 'counts.json');
const hook = (name: string) => pathToFileURL(join(root, 'scripts', name)).href;
const child = spawn(
  process.execPath,
  [
    `--import=${hook('source-condition.mjs')}`,
    '--test',
    // A file that hangs is stopped and reported instead of holding up everything.
    `--test-timeout=${soak ? 3_600_000 : 300_000}`,
    `--test-concurrency=${availableParallelism() * FILES_PER_CORE}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${hook('test-counts.mjs')}`,
    `--test-reporter-destination=${countsFile}`,
    ...options,
    ...files.map((path) => join(root, path)),
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // Every file is a process, and many start more of them: what one compiled the next ones need not compile again.
    env: {
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
      ...process.env,
      ...(soak ? { TENON_SOAK: '1' } : {}),
    },
  },
);
process.on('SIGTERM', () => child.kill('SIGTERM')).on('SIGINT', () => {});

child.on('close', (code) => {
  let result: { total?: Totals; empty: string[]; files: { file: string; ms: number }[] } = { empty: [], files: [] };
  try {
    result = JSON.parse(readFileSync(countsFile, 'utf8')) as typeof result;
  } catch {
    console.error('The test runner ended without giving its totals.');
  }
  rmSync(folder, { recursive: true, force: true });
  for (const path of result.empty) console.error(`No test ran in ${relative(root, path)}`);
  console.log('Slowest files:');
  for (const { file, ms } of result.files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
    console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${relative(root, file)}`);
  const { tests = 0, passed = 0, failed = 0, cancelled = 0 } = result.total ?? {};
  const filtered = options.some(
    (option) => option.startsWith('--test-name-pattern') || option.startsWith('--test-only'),
  );
  const ok =
    code === 0 && tests > 0 && passed > 0 && failed + cancelled === 0 && (filtered || result.empty.length === 0);
  console.log(`${passed} passed, ${failed + cancelled} failed`);
  process.exitCode = ok ? 0 : code || 1;
});
