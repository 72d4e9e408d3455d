// Runs every test of the repository, and fails also when nothing ran. Small files share a process (scripts/lib/test-groups.ts), but with a
// pattern for names, which also matches paths of files in a group, and with --soak each file has its own.
// Arguments: parts of file paths to narrow the run, --test-name-pattern=… for names of tests, --test-concurrency=… for files at a time,
// --limit=… for how long a test may take, in milliseconds.
// With --soak (`npm run soak`): only the tests of many rounds or rows, with all of them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { browserForTests } from './lib/chromium.ts';
import { filesUnder, root } from './lib/files.ts';
import { installShells } from './lib/shells.ts';
import { lastOf, type TestProcess, testProcesses } from './lib/test-groups.ts';

/** Files at a time for each core: a test that starts processes or browsers mostly waits for them. */
const FILES_PER_CORE = 2;
const SLOWEST = 10;
/** What takes long begins first, so that no core is idle while the last of it ends. */
const LONG = [/\/browser\//, /^scripts\//, /\/test\//];
/** A test that hangs is stopped and reported instead of holding up everything, in milliseconds. */
const MOST_MS = 300_000;
const MOST_SOAK_MS = 3_600_000;
/** A process that says nothing for so many times as long as a test may take is blocked, or was left with something open. */
const SILENCE = 1.2;

const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    soak: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true },
    'test-concurrency': { type: 'string' },
    limit: { type: 'string' },
  },
});
const patterns = options['test-name-pattern'];

/** Its place among the patterns of what takes long. */
function rankOf({ paths }: TestProcess): number {
  const rank = LONG.findIndex((pattern) => pattern.test(paths[0]!));
  return rank === -1 ? LONG.length : rank;
}

const files = ['packages', 'servers', 'examples', 'conformance', 'scripts', 'bench', 'wild']
  .flatMap((folder) => filesUnder(folder))
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .filter((path) => !options.soak || readFileSync(join(root, path), 'utf8').includes('/lib/soak.ts'));
if (files.length === 0) {
  console.error('No test file matches.');
  process.exit(1);
}

// Before several files at a time look for it and install it.
if (files.some((path) => path.includes('browser'))) browserForTests();
if (files.some((path) => path.endsWith('test/completion.test.ts'))) installShells();

// Every file is a process, and many start more of them: what one compiled the next ones need not compile again.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'compiled');
if (options.soak) process.env['TENON_SOAK'] = '1';

const processes: readonly TestProcess[] = (
  options.soak || patterns !== undefined
    ? files.map((path) => ({ file: join(root, path), paths: [path] }))
    : testProcesses(files)
).toSorted((a, b) => rankOf(a) - rankOf(b));

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

const most = Number(options.limit ?? (options.soak ? MOST_SOAK_MS : MOST_MS));
const events = run({
  cwd: root,
  files: processes.map(({ file }) => file),
  concurrency: Number(options['test-concurrency'] ?? availableParallelism() * FILES_PER_CORE),
  timeout: most,
  execArgv: ['scripts/test-context.mjs', 'scripts/source-condition.mjs', 'scripts/start-with-cache.mjs'].map(
    (path) => `--import=${pathToFileURL(join(root, path)).href}`,
  ),
  signal: stop.signal,
  testNamePatterns: patterns?.map((pattern) => new RegExp(pattern)),
});

const counts = { tests: 0, passed: 0, failed: 0, cancelled: 0 };
const times: { readonly path: string; readonly ms: number }[] = [];
const empty: string[] = [];
const groups = new Map(processes.filter(({ paths }) => paths.length > 1).map(({ file, paths }) => [file, paths]));
/** The files of groups that ran to their end. */
const ended = new Set<string>();
/** The groups in which a test ended since a file did. */
const used = new Set<string>();
events.on('test:summary', ({ file, counts: found, duration_ms: ms }) => {
  if (file === undefined) Object.assign(counts, found);
  else if (!groups.has(file)) times.push({ path: relative(root, file), ms });
});

interface Ended {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  /** The file that its process was started with. */
  readonly entryFile?: string;
  readonly details: { readonly type?: string | undefined; readonly duration_ms: number };
}

function noteEnd({ nesting, entryFile, file, name, details }: Ended): void {
  // A file that registers no test is reported as one passing test that carries the file's own path as its name.
  if (nesting === 0 && file !== undefined && name === file && !groups.has(file)) empty.push(relative(root, file));
  if (entryFile === undefined || !groups.has(entryFile)) return;
  if (nesting > 0) used.add(entryFile);
  else if (details.type === 'suite') {
    ended.add(name);
    times.push({ path: name, ms: details.duration_ms });
    if (!used.delete(entryFile)) empty.push(name);
  }
}
events.on('test:pass', noteEnd);
events.on('test:fail', noteEnd);

interface Step {
  readonly name: string;
  readonly entryFile?: string;
}
/** When something was heard of each process that runs, and what began last in it. */
const heard = new Map<string, { step: string; at: number }>();
events.on('test:dequeue', ({ name, entryFile = name }: Step) =>
  heard.set(entryFile, { step: name, at: performance.now() }),
);
events.on('test:complete', ({ name, entryFile = name }: Step) => {
  if (name === entryFile) return void heard.delete(name);
  const last = heard.get(entryFile);
  if (last !== undefined) last.at = performance.now();
});
setInterval(() => {
  for (const [file, { step, at }] of heard) {
    if (performance.now() - at < SILENCE * most) continue;
    console.error(
      `Stopped: nothing was heard of ${lastOf(file) ?? file} since ${step}. It is blocked, or left something open.`,
    );
    stop.abort();
    // What is blocked does not take the signal to end.
    if (process.platform !== 'win32') spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
  }
}, 1_000).unref();

const report = events.compose(new spec());
report.pipe(process.stdout);
report.on('end', () => {
  for (const path of empty) console.error(`No test ran in ${path}`);
  let cut = 0;
  for (const [file, paths] of groups) {
    const missing = paths.filter((path) => !ended.has(path));
    if (missing.length === 0) continue;
    cut += missing.length;
    console.error(`A process ended while it was at ${lastOf(file)}. Not reported:\n  ${missing.join('\n  ')}`);
  }
  console.log('Slowest files:');
  for (const { path, ms } of times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
    console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${path}`);
  const { passed, failed, cancelled, tests } = counts;
  const ok =
    tests > 0 && passed > 0 && failed + cancelled + cut === 0 && (patterns !== undefined || empty.length === 0);
  console.log(`${passed} passed, ${failed + cancelled} failed`);
  process.exitCode = ok && !stop.signal.aborted ? 0 : 1;
});
