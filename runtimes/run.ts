// Tries the packed package on every runtime it is made for: each serves it, a client in each and one in Node 24 talk to that, and a
// page in a real browser does, too. Plain programs without a test framework, as a user would write them.
//   npm run runtimes [-- --only=bun]
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { freePort } from '../scripts/lib/free-port.ts';
import { npmCommand } from '../scripts/lib/npm.mjs';
import { until } from '../scripts/lib/until.ts';
import { launchBrowser } from './browser.ts';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const npm = npmCommand(join(here, '..'));
function inModules(...path: string[]): string {
  return join(here, 'node_modules', ...path);
}

function run(command: string, args: readonly string[], cwd = here): void {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

/** Installs the runtimes, and the package as it would be published. */
function install(): void {
  if (!existsSync(inModules('@cloudflare/workerd-linux-64'))) {
    console.log('Installing the runtimes (runtimes/package.json), about 900 MB');
    run(npm.file, [...npm.args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  }
  const packed = join(here, '.built');
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed);
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed];
  run(npm.file, [...npm.args, ...pack], join(here, '../packages/sdk'));
  const [tarball] = readdirSync(packed);
  rmSync(inModules('tenon'), { recursive: true, force: true });
  mkdirSync(inModules('tenon'));
  run('tar', ['-xzf', join(packed, tarball!), '--strip-components=1', '-C', inModules('tenon')]);
}

function bundle(
  entry: string,
  platform: 'browser' | 'neutral',
  output = entry.replace('.mjs', '.js'),
): Promise<unknown> {
  return build({
    entryPoints: [join(here, entry)],
    outfile: join(here, '.built', output),
    bundle: true,
    format: 'esm',
    platform,
    mainFields: ['module', 'main'],
    conditions: platform === 'neutral' ? ['workerd', 'worker'] : [],
    target: 'es2022',
    logOverride: { 'ignored-bare-import': 'silent' },
  });
}

interface Runtime {
  readonly name: string;
  /** Starts the server, which prints its address. */
  readonly serve: readonly string[];
  /** Runs the client; it gets the address. */
  readonly client?: readonly string[];
}

function node(version: string): Runtime {
  const bin = inModules(`node${version}`, 'bin', 'node');
  return { name: `Node ${version}`, serve: [bin, 'serve-node.mjs'], client: [bin, 'client.mjs'] };
}
const bun = inModules('@oven/bun-linux-x64/bin/bun');
const deno = inModules('@deno/linux-x64-glibc/deno');
const runtimes: readonly Runtime[] = [
  node('20'),
  node('22'),
  node('24'),
  { name: 'Bun', serve: [bun, 'serve-bun.mjs'], client: [bun, 'client.mjs'] },
  // Without permissions beyond the network: nothing else is needed.
  {
    name: 'Deno',
    serve: [deno, 'run', '--no-prompt', '--allow-net', '--allow-env', 'serve-deno.mjs'],
    client: [deno, 'run', '--no-prompt', '--allow-net', '--allow-env', 'client.mjs'],
  },
];

async function start(
  [command, ...args]: readonly string[],
  found: RegExp,
  env = process.env,
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(command!, args, { cwd: here, stdio: ['ignore', 'pipe', 'pipe'], env });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (text: string): void => {
      said += text;
      const [, address] = found.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  return { url, child };
}

/** Runs a client; gives how many things were right. */
function ask([command, ...args]: readonly string[], url: string, ...more: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command!, [...args, url, ...more], {
      cwd: here,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    let out = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(Number(out)) : reject(new Error(errors || `code ${code}`))));
  });
}

const reference = node('24').client!;
let passed = 0;
let failed = 0;
async function attempt(what: string, act: () => Promise<number>): Promise<void> {
  if (!what.toLowerCase().includes(values.only.toLowerCase())) return;
  try {
    const right = await act();
    if (!(right > 5)) throw new Error(`only ${right} checks were made`);
    passed++;
    console.log(`ok   ${what}: ${right} checks`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

async function onRuntime({ name, serve, client }: Runtime): Promise<void> {
  await attempt(`${name} serves, Node 24 calls`, async () => {
    const { url, child } = await start(serve, /(http:\S+)/);
    try {
      return await ask(reference, url);
    } finally {
      child.kill('SIGKILL');
    }
  });
  await attempt(`${name} serves and calls`, async () => {
    const { url, child } = await start(serve, /(http:\S+)/);
    try {
      return await ask(client!, url);
    } finally {
      child.kill('SIGKILL');
    }
  });
}

async function onWorkerd(): Promise<void> {
  await bundle('worker.mjs', 'neutral');
  const withServer = (act: (origin: string) => Promise<number>) => withWorkerd('workerd.capnp', act);
  await attempt('workerd serves in a Durable Object, Node 24 calls', () =>
    withServer((origin) => ask(reference, `${origin}/mcp`)),
  );
  await attempt('workerd serves without an object, Node 24 calls', () =>
    withServer((origin) => ask(reference, `${origin}/alone`, 'alone')),
  );
  await attempt('workerd serves and calls', () =>
    withServer(async (origin) => {
      const response = await fetch(`${origin}/check`);
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return Number(text);
    }),
  );
}

/** The examples for serverless platforms, on the runtimes of those platforms. */
async function onServerless(): Promise<void> {
  const client = [node('24').serve[0]!, 'serverless-client.mjs'];
  const examples = '../examples/serverless';
  const workers = ['worker', 'durable-object'];
  for (const name of workers) await bundle(`${examples}/cloudflare/${name}.ts`, 'neutral', `example-${name}.js`);
  for (const name of workers)
    await attempt(`the example ${name}.ts on workerd`, () =>
      withWorkerd('serverless.capnp', (origin) => ask(client, `${origin}/mcp`, name), name),
    );
  const env = { ...process.env, PORT: '0', MCP_KEY: 'a key of thirty-two characters, or more' };
  const served: readonly Runtime[] = [
    { name: 'bun.ts on Bun', serve: [bun, `${examples}/bun.ts`] },
    {
      name: 'deno.ts on Deno',
      serve: [
        deno,
        'serve',
        '--no-prompt',
        '--allow-net',
        '--allow-env',
        '--host=127.0.0.1',
        '--port=0',
        `${examples}/deno.ts`,
      ],
    },
  ];
  for (const { name, serve } of served)
    await attempt(`the example ${name}`, async () => {
      const { url, child } = await start(serve, /(http:\/\/[^\s/]+:\d+)/, env);
      try {
        return await ask(client, `${url.replace('127.0.0.1', 'localhost')}/mcp`, 'sessions');
      } finally {
        child.kill('SIGKILL');
      }
    });
}

/** Starts a server on workerd at a free port. `socket`: the socket of the configuration. Resolves with the result of `act`. */
async function withWorkerd(config: string, act: (origin: string) => Promise<number>, socket = 'http'): Promise<number> {
  const workerd = inModules('@cloudflare/workerd-linux-64/bin/workerd');
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const child = spawn(workerd, ['serve', config, `--socket-addr=${socket}=127.0.0.1:${port}`], {
    cwd: here,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    const listens = (): Promise<boolean> =>
      fetch(origin).then(
        () => true,
        () => false,
      );
    await until(listens, 'workerd listens');
    return await act(origin);
  } finally {
    child.kill('SIGKILL');
  }
}

async function inBrowser(): Promise<number> {
  await bundle('page.mjs', 'browser');
  const { readFile } = await import('node:fs/promises');
  const script = await readFile(join(here, '.built/page.js'));
  const pages = createServer((request, response) => {
    if (request.url?.startsWith('/page.js') === true)
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><script type="module" src="/page.js"></script>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => pages.once('listening', resolve));
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const { url, child } = await start([...node('24').serve, origin], /(http:\S+)/);
  const opened = await launchBrowser();
  try {
    const page = await opened.newPage();
    await page.goto(`${origin}/?url=${encodeURIComponent(url)}`);
    await page.waitForFunction('globalThis.checked !== undefined');
    const found = (await page.evaluate('globalThis.checked')) as { right?: number; error?: string };
    if (found.right === undefined) throw new Error(found.error);
    return found.right;
  } finally {
    await opened.close();
    child.kill('SIGKILL');
    pages.closeAllConnections();
    pages.close();
  }
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('The runtimes are those of Linux on x64: on this machine they are not tried.');
  process.exit(process.env['CI'] === undefined ? 0 : 1);
}
install();
for (const runtime of runtimes) await onRuntime(runtime);
await onWorkerd();
await onServerless();
await attempt('a page in Chromium calls Node 24', inBrowser);
// It imports the package that was just unpacked.
await attempt('a user logs in with Chromium', async () => (await import('./login.ts')).logIn());
console.log(`${passed} runtimes passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
