// Runs every test of the repository; fails if no test ran. Small files share a process (scripts/lib/test-groups.ts). With --soak, or with a
// pattern for names, which would also match the paths of files in a group, each file has its own process. Arguments: parts of file paths to
// narrow the run, --test-name-pattern=… for names of tests, --test-concurrency=… for the number of concurrent files, --limit=… for the
// timeout of a test, in milliseconds. With --soak (`npm run soak`): only the tests with many rounds or rows, with all of them.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { browserForTests } from './lib/chromium.ts';
import { filesUnder, root } from './lib/files.ts';
import { installShells } from './lib/shells.ts';
import { lastOf, type TestProcess, testProcesses } from './lib/test-groups.ts';

/** Concurrent files per core: a test that starts processes or browsers mostly waits for them. */
const FILES_PER_CORE = 2;
const SLOWEST = 10;
/** Slow files start first, so that no core is idle at the end. */
const LONG = [/^cluster\//, /\/browser\//, /^servers\//, /^scripts\//, /\/test\//];
/** A test that hangs is stopped and reported after this time, in milliseconds, so that it does not block the run. */
const TIMEOUT_MS = 300_000;
const SOAK_TIMEOUT_MS = 3_600_000;
/** A process that reports nothing for this many times the timeout of a test hangs, or has left something open. */
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

/** The index of the first pattern of slow files that matches. */
function rankOf({ paths }: TestProcess): number {
  const rank = LONG.findIndex((pattern) => pattern.test(paths[0]!));
  return rank === -1 ? LONG.length : rank;
}

const files = [
  'packages',
  'servers',
  'examples',
  'conformance',
  'scripts',
  'bench',
  'cluster',
  'wild',
  'originals',
  'site',
]
  .flatMap((folder) => filesUnder(folder))
  // The test of a new project belongs to that project.
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('packages/cli/templates/'))
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .filter((path) => !options.soak || readFileSync(join(root, path), 'utf8').includes('/lib/soak.ts'));
if (files.length === 0) {
  console.error('No test file matches.');
  process.exit(1);
}

// Find or install the browser before several files do so at the same time.
if (files.some((path) => path.includes('browser'))) browserForTests();
if (files.some((path) => path.endsWith('test/completion.test.ts'))) installShells();

// Every file is a process, and many start further ones: they share a compile cache.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'compiled');
if (options.soak) process.env['TENON_SOAK'] = '1';

/** What tests leave in the folder for temporary files is removed with it. Programs of other users have to find their own folders in it. */
const temporary = mkdtempSync(join(tmpdir(), 'tenon-test-'));
chmodSync(temporary, 0o711);
for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = temporary;
process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

const processes: readonly TestProcess[] = (
  options.soak || patterns !== undefined
    ? files.map((path) => ({ file: join(root, path), paths: [path] }))
    : testProcesses(files)
).toSorted((a, b) => rankOf(a) - rankOf(b));

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

const timeoutMs = Number(options.limit ?? (options.soak ? SOAK_TIMEOUT_MS : TIMEOUT_MS));
const events = run({
  cwd: root,
  files: processes.map(({ file }) => file),
  concurrency: Number(options['test-concurrency'] ?? availableParallelism() * FILES_PER_CORE),
  timeout: timeoutMs,
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
/** The files of groups that were completed. */
const ended = new Set<string>();
/** The groups in which a test has ended since the end of the previous file. */
const used = new Set<string>();
events.on('test:summary', ({ file, counts: found, duration_ms: ms }) => {
  if (file === undefined) Object.assign(counts, found);
  else if (!groups.has(file)) times.push({ path: relative(root, file), ms });
});

interface TestEnd {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  /** The file that its process runs. */
  readonly entryFile?: string;
  readonly details: { readonly type?: string | undefined; readonly duration_ms: number };
}

function noteEnd({ nesting, entryFile, file, name, details }: TestEnd): void {
  // A file that registers no test is reported as one passing test named by the file's own path.
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
/** The time of the last event of each running process, and the name of the test that it started last. */
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
    if (performance.now() - at < SILENCE * timeoutMs) continue;
    console.error(
      `Stopped: no events came from ${lastOf(file) ?? file} since ${step}. It is blocked, or left something open.`,
    );
    stop.abort();
    // A blocked process does not react to the abort signal.
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
