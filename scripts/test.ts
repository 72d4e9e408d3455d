// Runs every test of the repository, each file in a process of its own, and fails also when nothing ran.
// Arguments: parts of file paths to narrow the run, --test-name-pattern=… for names of tests, --test-concurrency=… for files at a time.
// With --soak (`npm run soak`): only the tests of many rounds or rows, with all of them.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { browserForTests } from './lib/chromium.ts';
import { filesUnder, root } from './lib/files.ts';

/** Files at a time for each core: a test that starts processes or browsers mostly waits for them. */
const FILES_PER_CORE = 2;
const SLOWEST = 10;
/** What takes long begins first, so that no core is idle while the last of it ends. */
const LONG = [/\/browser\//, /^scripts\//, /\/interop\//, /diagnosis|faults|record|chat/];
/** A file that hangs is stopped and reported instead of holding up everything, in milliseconds. */
const MOST_MS = 300_000;
const MOST_SOAK_MS = 3_600_000;

const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    soak: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true },
    'test-concurrency': { type: 'string' },
  },
});
const patterns = options['test-name-pattern'];

/** Its place among the patterns of what takes long. */
function rankOf(path: string): number {
  const rank = LONG.findIndex((pattern) => pattern.test(path));
  return rank === -1 ? LONG.length : rank;
}

const files = ['packages', 'servers', 'examples', 'conformance', 'scripts']
  .flatMap((folder) => filesUnder(folder))
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .filter((path) => !options.soak || readFileSync(join(root, path), 'utf8').includes('/lib/soak.ts'))
  .toSorted((a, b) => rankOf(a) - rankOf(b));
if (files.length === 0) {
  console.error('No test file matches.');
  process.exit(1);
}

// Before several files at a time look for it and install it.
if (files.some((path) => path.includes('browser'))) browserForTests();

// Every file is a process, and many start more of them: what one compiled the next ones need not compile again.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'compiled');
if (options.soak) process.env['TENON_SOAK'] = '1';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

const events = run({
  cwd: root,
  files: files.map((path) => join(root, path)),
  concurrency: Number(options['test-concurrency'] ?? availableParallelism() * FILES_PER_CORE),
  timeout: options.soak ? MOST_SOAK_MS : MOST_MS,
  execArgv: [`--import=${pathToFileURL(join(root, 'scripts/source-condition.mjs')).href}`],
  signal: stop.signal,
  ...(patterns === undefined ? {} : { testNamePatterns: patterns.map((pattern) => new RegExp(pattern)) }),
});

const counts = { tests: 0, passed: 0, failed: 0, cancelled: 0 };
const times: { readonly file: string; readonly ms: number }[] = [];
const empty: string[] = [];
events.on('test:summary', ({ file, counts: found, duration_ms: ms }) => {
  if (file === undefined) Object.assign(counts, found);
  else times.push({ file, ms });
});
// A file that registers no test is reported as one passing test that carries the file's own path as its name.
events.on('test:pass', ({ nesting, file, name }) => {
  if (nesting === 0 && file !== undefined && name === file) empty.push(file);
});

const report = events.compose(new spec());
report.pipe(process.stdout);
report.on('end', () => {
  for (const path of empty) console.error(`No test ran in ${relative(root, path)}`);
  console.log('Slowest files:');
  for (const { file, ms } of times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
    console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${relative(root, file)}`);
  const { passed, failed, cancelled, tests } = counts;
  const ok = tests > 0 && passed > 0 && failed + cancelled === 0 && (patterns !== undefined || empty.length === 0);
  console.log(`${passed} passed, ${failed + cancelled} failed`);
  process.exitCode = ok && !stop.signal.aborted ? 0 : 1;
});
