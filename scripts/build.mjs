// Builds every package into its dist folder: JavaScript by rolldown (code splitting, readable, source maps), types by tsc.
// A package is skipped while the digest of everything that went into its last build is unchanged.
// Files are written in place and only when they differ, so a program running from dist keeps working.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../packages/sdk/src/store/node/process-identity.ts';
import { createChunkNames } from './lib/chunks.ts';
import { SHARED_BY_SDK, VALUES } from './lib/values.ts';
import * as schemas from './lib/wire-schemas.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const quiet = process.argv.includes('--quiet');

/**
 * What to build, in order: a later package may use the types of an earlier one.
 * `entries` are relative to `src` and keep their place in `dist`. `executable` gets its mode bits: npm links it before it exists.
 * `web` is a folder of pages, built by Vite into `dist/page`. `schemas`: the official schemas go into `dist/schemas`.
 * `#…` imports stay external: Node and bundlers choose between their targets by condition.
 * `bundled`: other packages whose code goes into the files, without what is unused. Their licenses go into `dist/licenses.txt`.
 * `parts`, `apart` and `last` control which modules are bundled into one file (`lib/chunks.ts`).
 *
 * @typedef {{ folder: string, entries: string[], types: boolean, parts?: string[], apart?: string, last?: string[], bundled?: string[], executable?: string, web?: string, schemas?: true }} Package
 * @type {Package[]}
 */
const packages = [
  {
    folder: 'packages/sdk',
    entries: [
      'entries/index.ts',
      'entries/client.ts',
      'entries/apps.ts',
      'entries/auth.ts',
      'entries/forms.ts',
      'entries/http.ts',
      'entries/internal.ts',
      'entries/internal-auth.ts',
      'entries/internal-npm.ts',
      'entries/middleware.ts',
      'entries/node.ts',
      'entries/otel.ts',
      'entries/schema.ts',
      'entries/testing.ts',
      'transport/stdio/spawn.ts',
      'open/no-spawn.ts',
      'auth/node/on-node.ts',
      'auth/no-node.ts',
      'transport/http-client/node/node-send.ts',
      'transport/http-client/fetch-send.ts',
      // A separate file, so that programs that need only the lock do not load the rest of its chunk.
      'store/node/lock-file.ts',
      // Otherwise it is in a file with all of `tenon/auth`, and `tenon/internal` loads that.
      'store/with-store-lock.ts',
    ],
    // Every import of `tenon` loads all of them; a bundler leaves out those that a program does not use.
    parts: ['transport/serve.ts', 'entries/index.ts'],
    apart: 'entries/client.ts',
    last: ['entries/internal.ts', 'entries/internal-auth.ts', 'entries/internal-npm.ts'],
    types: true,
  },
  { folder: 'packages/auth-proxy', entries: ['index.ts'], types: true },
  { folder: 'packages/store', entries: ['index.ts'], types: true },
  { folder: 'packages/skills', entries: ['index.ts', 'client.ts', 'node.ts'], types: true },
  { folder: 'packages/host', entries: ['index.ts', 'formats.ts'], types: true },
  { folder: 'packages/inspector', entries: ['index.ts', 'json.ts', 'trace.ts'], types: true, web: 'ui', schemas: true },
  {
    folder: 'packages/cli',
    // Node loads module hooks from a file of their own.
    entries: ['tenon.ts', 'typescript/hooks.ts'],
    types: false,
    executable: 'dist/tenon.js',
  },
  // Shared modules are bundled into each of them.
  ...readdirSync(join(root, 'servers'))
    .filter((name) => existsSync(join(root, 'servers', name, 'package.json')))
    .map((name) => ({
      folder: `servers/${name}`,
      // The code of a worker thread must be a separate file.
      entries: [
        'main.ts',
        ...readdirSync(join(root, 'servers', name, 'src')).filter((file) => file.endsWith('-worker.ts')),
      ],
      types: false,
      // All of zod takes longer to load than Node and the rest of a server.
      bundled: ['zod'],
    })),
];

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The modules of `@tenon/values` that may be bundled into a package. */
function sharedValues() {
  return [
    ...filesIn(join(root, 'packages', 'values', 'src')).filter((path) => !path.endsWith('.test.ts')),
    ...SHARED_BY_SDK.map((path) => join(root, 'packages', 'sdk', 'src', path)),
  ];
}

/** @param {Package} pack */
function digestOf(pack) {
  const inputs = [
    ...filesIn(join(root, pack.folder, 'src')).filter((path) => !path.endsWith('.test.ts')),
    ...(pack.web === undefined ? [] : filesIn(join(root, pack.folder, pack.web))),
    ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'vite.config.ts'].map((name) =>
      join(root, pack.folder, name),
    ),
    ...(pack.schemas ? schemas.sources : []),
    ...(pack.folder === 'packages/sdk' ? [] : sharedValues()),
    ...(pack.bundled ?? []).map((name) => join(root, 'node_modules', name, 'package.json')),
    ...(pack.folder.startsWith('servers/') ? filesIn(join(root, 'servers', 'shared')) : []),
    ...['tsconfig.base.json', 'scripts/build.mjs', 'scripts/lib/chunks.ts', 'scripts/lib/values.ts'].map((name) =>
      join(root, name),
    ),
  ];
  const hash = createHash('sha256');
  for (const path of inputs) {
    if (existsSync(path)) hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} path @param {string | Uint8Array} content */
function writeIfChanged(path, content) {
  if (existsSync(path) && Buffer.compare(readFileSync(path), Buffer.from(content)) === 0) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Bundles the code of a package. Returns the paths of the written files. @param {Package} pack @returns {Promise<string[]>} */
async function buildScripts(pack) {
  const src = join(root, pack.folder, 'src');
  const entries = pack.entries.filter((entry) => existsSync(join(src, entry)));
  for (const entry of pack.entries)
    if (!entries.includes(entry)) console.error(`${pack.folder}/src/${entry} is missing and was skipped`);
  return bundle({
    entries: new Map(entries.map((entry) => [entry.replace(/\.ts$/, ''), join(src, entry)])),
    out: join(root, pack.folder, 'dist'),
    parts: (pack.parts ?? []).map((part) => join(src, part)),
    apart: pack.apart === undefined ? undefined : join(src, pack.apart),
    last: (pack.last ?? []).map((entry) => join(src, entry)),
    isExternal: (id) => !/^[./]/.test(id) && !id.startsWith(VALUES) && !pack.bundled?.includes(id),
  });
}

/** Returns the paths of the written files. @param {Package} pack @returns {string[]} */
function writeLicenses({ folder, bundled = [] }) {
  if (bundled.length === 0) return [];
  const texts = bundled.map((name) => {
    const from = join(root, 'node_modules', name);
    return `The files in this folder contain code of ${name}:\n\n${readFileSync(join(from, 'LICENSE'), 'utf8')}`;
  });
  const path = join(root, folder, 'dist', 'licenses.txt');
  writeIfChanged(path, texts.join('\n'));
  return [path];
}

/**
 * Bundles programs into a folder. Returns the paths of the written files.
 * @param {{ entries: ReadonlyMap<string, string>, out: string, parts?: string[], apart?: string, last?: string[], isExternal: (id: string) => boolean }} options
 */
async function bundle({ entries, out, parts = [], isExternal, ...rest }) {
  const { rolldown } = await import('rolldown');
  const bundling = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries),
    platform: 'node',
    external: (id) => isExternal(id),
    transform: { target: 'es2022' },
    // Required for chunk groups. The file of an entry contains no other module (`lib/chunks.ts`), so it has no additional exports.
    preserveEntrySignatures: 'allow-extension',
    // Treat warnings as errors.
    onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
  });
  const name = createChunkNames({ entries: [...entries.values()], parts, ...rest });
  const { output } = await bundling.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { legal: false, jsdoc: false, annotation: true },
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name, debugName: 'shared' }] },
  });
  await bundling.close();
  return output.map((file) => {
    const path = join(out, file.fileName);
    writeIfChanged(path, file.type === 'chunk' ? file.code : file.source);
    return path;
  });
}

/** @param {Package} pack @returns {string[]} */
function buildTypes(pack) {
  const out = join(root, pack.folder, 'dist');
  const staging = join(root, 'node_modules', '.cache', 'types', pack.folder.replace(/\W/g, '-'));
  rmSync(staging, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
  const args = [tsc, '-p', join(root, pack.folder, 'tsconfig.build.json'), '--outDir', staging];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`tsc found errors in ${pack.folder}`);
  return filesIn(staging).map((path) => {
    const target = join(out, relative(staging, path));
    // Declarations import files with the source extension; consumers need the published one.
    const text = readFileSync(path, 'utf8').replace(
      /((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]*)\.ts(['"])/g,
      '$1.js$2',
    );
    if (text.includes(VALUES) || text.includes('/sdk/src/'))
      throw new Error(
        `${relative(root, target)} names a type of ${VALUES}*, which is not published: write the type out`,
      );
    writeIfChanged(target, text);
    return target;
  });
}

/** Builds the pages of a package. Returns the paths of the written files. @param {Package} pack @returns {string[]} */
function buildWeb(pack) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(root, pack.folder, 'vite.config.ts');
  if (!existsSync(config)) return [];
  const { status } = spawnSync(process.execPath, [vite, 'build', '--config', config, '--logLevel', 'warn'], {
    cwd: join(root, pack.folder),
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`Vite found errors in ${pack.folder}`);
  return filesIn(join(root, pack.folder, 'dist', 'page'));
}

/** Writes the official schemas beside the code. Returns the paths of the written files. @param {Package} pack @returns {string[]} */
function buildSchemas(pack) {
  return [...schemas.wireSchemaFiles()].map(([name, text]) => {
    const path = join(root, pack.folder, 'dist', 'schemas', name);
    writeIfChanged(path, text);
    return path;
  });
}

/** Removes files of earlier builds. @param {string} dist @param {Set<string>} wanted */
function removeOthers(dist, wanted) {
  for (const path of filesIn(dist)) if (!wanted.has(path)) rmSync(path);
}

/** @param {Package} pack */
async function buildPackage(pack) {
  const source = join(root, pack.folder, 'src');
  if (filesIn(source).length === 0) return;
  const dist = join(root, pack.folder, 'dist');
  const stamp = join(dist, '.stamp');
  const digest = digestOf(pack);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;

  const started = performance.now();
  rmSync(stamp, { force: true });
  const written = new Set([...(await buildScripts(pack)), ...writeLicenses(pack)]);
  // Before the types, because Vite empties its folder, which holds some of them, too.
  if (pack.web !== undefined) for (const path of buildWeb(pack)) written.add(path);
  if (pack.types) for (const path of buildTypes(pack)) written.add(path);
  if (pack.schemas) for (const path of buildSchemas(pack)) written.add(path);
  removeOthers(dist, written);
  if (pack.executable) chmodSync(join(root, pack.folder, pack.executable), 0o755);
  writeFileSync(stamp, digest);
  const bytes = [...written].filter((path) => path.endsWith('.js')).reduce((sum, path) => sum + statSync(path).size, 0);
  const line = `Built ${pack.folder.split(sep).join('/')}: ${(bytes / 1024).toFixed(0)} KB of JavaScript in ${(performance.now() - started).toFixed(0)} ms`;
  console.error(line);
}

/** Builds the programs that the conformance suite runs, as bundles that run in any Node. */
async function buildFixtures() {
  const out = join(root, 'conformance', 'dist');
  const names = ['server', 'client'];
  const written = await bundle({
    entries: new Map(names.map((name) => [name, join(root, 'conformance', `${name}.ts`)])),
    out,
    isExternal: (id) => id.startsWith('node:'),
  });
  removeOthers(out, new Set(written));
}

/** Runs one build at a time: a second one waits for the first, and then usually has nothing to do. */
async function withLock(/** @type {() => Promise<void>} */ work) {
  const lock = join(root, 'node_modules', '.cache', 'build.lock');
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = 0; ; waited += 100) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      if (waited >= 120_000 || !isHeld(lock)) rmSync(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** @param {string} lock */
function isHeld(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    return !(pid > 0) || isAlive(pid);
  } catch {
    return false;
  }
}

try {
  await withLock(async () => {
    for (const pack of packages) await buildPackage(pack);
    await buildFixtures();
  });
  if (!quiet) console.error('All packages are built.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
