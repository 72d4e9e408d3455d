// Measures the size and start time of Tenon, and compares them with budgets. Bytes over budget fail; times are only printed, because machines are
// noisy, and fail only if they are far above. `npm run size -- --rounds=41` measures longer.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './lib/files.ts';
import { firstAnswer, paired } from './lib/start-times.ts';

const budgets = {
  bundleKB: 25,
  clientKB: 30,
  storeKB: 8,
  pageKB: 300,
  inspectorMB: 15,
  instantiations: 200_000,
  importMs: 12,
  firstAnswerMs: 15,
};
/** A time that exceeds its budget by this factor is not just noise. */
const gross = 3;
/** What the bases take on a machine that does nothing else, in milliseconds: bare Node, and a raw loop to its first answer. */
const QUIET = { bare: 45, raw: 85 };

/** The time above which a measurement fails. On a machine that is busy with other work, everything takes longer, also the base. */
function failingTime(budget: number, base: number, quiet: number): number {
  return budget * gross * Math.max(1, base / quiet);
}

function fixture(name: string) {
  return join(root, 'scripts/fixtures', name);
}
const given = process.argv.find((argument) => argument.startsWith('--rounds='));
const rounds = Number(given?.slice('--rounds='.length) ?? 21);
let failed = false;

function report(what: string, value: number, budget: number | undefined, unit: string, limit = budget): void {
  const over = budget !== undefined && value > budget;
  const fails = limit !== undefined && value > limit;
  if (fails) failed = true;
  const verdict = budget === undefined ? '' : ` of ${budget} ${unit}${fails ? '  FAIL' : over ? '  over budget' : ''}`;
  console.log(`${what.padEnd(58)} ${value.toFixed(1).padStart(7)} ${unit}${verdict}`);
}

/** Bundles a program. Dynamic imports become separate files, to distinguish what is loaded at start. */
async function bundled(entry: string, platform: 'node' | 'browser') {
  const { outputFiles, metafile } = await build({
    entryPoints: [fixture(entry)],
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: 'out',
    absWorkingDir: root,
    format: 'esm',
    platform,
    target: 'es2022',
    external: ['zod'],
    legalComments: 'none',
    // The chunks of dist import each other only to keep their order, which a bundle does not need.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  const outputs = Object.entries(metafile.outputs);
  /** The files that are loaded for these entries, with their static imports. */
  const loaded = (isFirst: (source: string) => boolean): ReadonlySet<string> => {
    const found = new Set<string>();
    const follow = (path: string): void => {
      if (found.has(path)) return;
      found.add(path);
      for (const used of metafile.outputs[path]?.imports ?? []) {
        if (used.kind === 'import-statement' && !used.external) follow(used.path);
      }
    };
    for (const [path, { entryPoint }] of outputs) if (entryPoint !== undefined && isFirst(entryPoint)) follow(path);
    return found;
  };
  const kilobytes = (wanted: (path: string) => boolean) => {
    const texts = outputs.map(([path], index) => (wanted(path) ? (outputFiles[index]?.text ?? '') : ''));
    return gzipSync(texts.join('\n'), { level: 9 }).length / 1024;
  };
  return { loaded, kilobytes, imports: outputs.flatMap(([, { imports }]) => imports) };
}

async function measureServer(): Promise<void> {
  const { loaded, kilobytes } = await bundled('minimal-server.mjs', 'node');
  const atStart = loaded((source) => source.endsWith('minimal-server.mjs'));
  const size = kilobytes((path) => atStart.has(path));
  report('stdio server, minified and gzipped, loaded at start', size, budgets.bundleKB, 'KB');
  const all = kilobytes(() => true);
  report('the same with everything it may load later', all, undefined, 'KB');
}

/** Measures what a web page loads to connect to a server at a URL. */
async function measureClient(): Promise<void> {
  const { loaded, kilobytes, imports } = await bundled('minimal-client.mjs', 'browser');
  const connected = loaded((source) => /minimal-client\.mjs$|\/dial-url-|\/fetch-send\.js$/.test(source));
  if (connected.size < 3) throw new Error('The parts of the HTTP client were not found in its bundle');
  const size = kilobytes((path) => connected.has(path));
  report('HTTP client for a browser, minified and gzipped', size, budgets.clientKB, 'KB');
  const builtIns = imports.filter(({ path, external }) => external === true && path.startsWith('node:'));
  if (builtIns.length > 0) {
    failed = true;
    console.log(`FAIL: it imports ${builtIns.map(({ path }) => path).join(', ')}, which browsers do not have`);
  }
}

/** Measures what a program loads to open a store in SQLite: nothing of the SDK, of which it needs only types. */
async function measureStore(): Promise<void> {
  const { loaded, kilobytes } = await bundled('minimal-store.mjs', 'node');
  // The other engines, and the packages that they use, are loaded by other addresses only.
  const opened = loaded((source) => /minimal-store\.mjs$|\/sqlite-engine-/.test(source));
  if (opened.size < 2) throw new Error('The store in SQLite was not found in its bundle');
  const size = kilobytes((path) => opened.has(path));
  report('store in SQLite, minified and gzipped', size, budgets.storeKB, 'KB');
}

/** Measures what the inspector's page loads before it shows anything, compressed as sent, and the size of its package. */
function measurePage(): void {
  const web = join(root, 'packages/inspector/dist/page');
  const page = readFileSync(join(web, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path!);
  if (scripts.length === 0) throw new Error('The page of the inspector loads no script');
  const sent = scripts.map((path) => {
    const compressed = join(web, `${path}.br`);
    return statSync(existsSync(compressed) ? compressed : join(web, path)).size;
  });
  const first = sent.reduce((sum, bytes) => sum + bytes, 0);
  report('first JavaScript of the inspector, as brotli', first / 1024, budgets.pageKB, 'KB');
  const all = readdirSync(join(root, 'packages/inspector/dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  report('the published inspector package', all / 1024 / 1024, budgets.inspectorMB, 'MB');
}

/** What the compiler has to do for a server of 100 tools, each with schemas of its own, and 100 typed calls of them. */
function measureTypes(): void {
  const numbers = Array.from({ length: 100 }, (_, at) => at);
  const schema = (at: number) =>
    `input: z.object({ id${at}: z.string(), count: z.number().default(${at}), tags: z.array(z.string()) }), ` +
    `output: z.object({ sum${at}: z.number(), at: z.string().optional() })`;
  const tools = numbers.map(
    (at) => `tool${at}: tool({ ${schema(at)} }, ({ id${at}, count }) => ({ sum${at}: count + id${at}.length })),`,
  );
  const calls = numbers.map(
    (at) => `export const r${at}: number = (await client.call('tool${at}', { id${at}: 'a', tags: [] })).sum${at};`,
  );
  const imports = `import { server, tool } from 'tenon'; import { connect } from 'tenon/client'; import { z } from 'zod';`;
  const app = `export const app = server({ name: 'cost', tools: {\n${tools.join('\n')}\n} });`;
  const folder = mkdtempSync(join(root, 'node_modules', '.cache-size-'));
  try {
    const path = join(folder, 'cost.mts');
    writeFileSync(path, [imports, app, 'const client = await connect(app);', ...calls].join('\n'));
    const options = '--ignoreConfig --noEmit --strict --skipLibCheck --extendedDiagnostics --module nodenext';
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const given = [tsc, ...options.split(' '), '--lib', 'ES2022,ESNext.Disposable', '--types', 'node', path];
    const { stdout, status } = spawnSync(process.execPath, given, { encoding: 'utf8', cwd: root });
    const count = /Instantiations:\s+(\d+)/.exec(stdout)?.[1];
    if (status !== 0 || count === undefined) throw new Error(`The types could not be measured: ${stdout}`);
    report('instantiations for 100 tools and 100 typed calls', Number(count), budgets.instantiations, 'types');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureImport(): Promise<void> {
  const folder = mkdtempSync(join(root, 'node_modules', '.cache-size-'));
  try {
    const run = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return async () => {
        const started = performance.now();
        const { status, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8' });
        if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
        return performance.now() - started;
      };
    };
    const { more, base } = await paired(rounds, run('bare.mjs', ''), run('tenon.mjs', `import 'tenon';`));
    report(
      `import of tenon, over bare Node (${base.toFixed(0)} ms)`,
      more,
      budgets.importMs,
      'ms',
      failingTime(budgets.importMs, base, QUIET.bare),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await measureServer();
await measureClient();
await measureStore();
measurePage();
measureTypes();
await measureImport();
const { more, base } = await paired(
  rounds,
  () => firstAnswer([fixture('raw-server.mjs')]),
  () => firstAnswer([fixture('minimal-server.mjs')]),
);
const what = `spawn to first answer over stdio, over a raw loop (${base.toFixed(0)} ms)`;
report(what, more, budgets.firstAnswerMs, 'ms', failingTime(budgets.firstAnswerMs, base, QUIET.raw));
process.exitCode = failed ? 1 : 0;
