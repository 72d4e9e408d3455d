import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { LogEntry, Server, Store } from 'tenon';
import type { Bus } from 'tenon/http';
import { type CommandLine, parsePort } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { OWN_SERVERS } from '../own-servers.ts';
import { nearest } from '@tenon/values/nearest';
import { printable } from '../terminal/printable.ts';
import type { VerbContext } from '../session/session.ts';
import { runTypeScript } from '../typescript/run-typescript.ts';

/** How much of a logged error is printed, in characters. */
const MAX_DETAILS_LENGTH = 16_384;

/** How many files of a folder are compared with a misspelled name. */
const MAX_FILES = 1_000;

/** The mark of values made by `server()`, the same in every copy of the package. */
const SERVER = Symbol.for('tenon.server');

function isServer(value: unknown): value is Server {
  return typeof value === 'object' && value !== null && SERVER in value;
}

function meantBy(given: string): string {
  if (extname(given) !== '') return meantFile(given);
  const own = [...OWN_SERVERS.keys()];
  const near = nearest(given, own);
  return near === undefined ? `Servers are ${own.join(', ')}.` : `Did you mean ${near}?`;
}

/** For a path that does not exist: a file with a similar name beside it, or where paths begin. */
function meantFile(given: string): string {
  const folder = dirname(resolve(given));
  const beside = existsSync(folder) ? readdirSync(folder).slice(0, MAX_FILES) : [];
  const near = nearest(basename(given), beside);
  return near === undefined ? `Its path is ${resolve(given)}` : `Did you mean ${join(dirname(given), near)}?`;
}

function findModule(line: CommandLine): string {
  const [, given, more] = line.words;
  if (given === undefined || more !== undefined) throw usage('Which file?', 'tenon run server.ts');
  if (line.target !== undefined) throw usage('tenon run takes a file, not a command after --');
  const path = resolve(given);
  if (!existsSync(path)) throw usage(`There is neither a file nor a server called ${given}`, meantBy(given));
  if (!statSync(path).isFile()) throw usage(`${given} is not a file`);
  if (['.ts', '.mts'].includes(extname(path))) runTypeScript();
  return path;
}

const FIXES: ReadonlyMap<unknown, string> = new Map([
  [
    'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
    'Node only removes types: enums, namespaces and parameter properties need a compiler.',
  ],
  ['ERR_UNKNOWN_FILE_EXTENSION', 'The file must be JavaScript or TypeScript: .js, .mjs, .ts, .mts.'],
]);

function notLoaded(given: string, error: unknown): Failure {
  const { message, stack, code } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { message: String(error), stack: undefined, code: undefined };
  const fix = FIXES.get(code);
  return new Failure('usage', 'not_loaded', `${given} could not be loaded: ${message}`, {
    blame: 'you',
    evidence: stack,
    fix,
  });
}

/** Loads the module. Its output goes to stderr meanwhile, because stdout is for the protocol. */
async function load(path: string, given: string): Promise<Readonly<Record<string, unknown>>> {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw notLoaded(given, error);
  } finally {
    stdout.write = write;
  }
}

/** Loads the copy of the SDK that the file itself uses, because the server is a value of that copy; if it has none, tenon's own. */
async function serving(path: string): Promise<typeof import('tenon/node')> {
  let own: string;
  try {
    own = createRequire(path).resolve('tenon/node');
  } catch {
    return import('tenon/node');
  }
  return (await import(pathToFileURL(own).href)) as typeof import('tenon/node');
}

/** Formats log entries of a server over HTTP like those of a stdio server: with the error and its stack. */
function logLines({ level, event, message, details }: LogEntry): readonly string[] {
  if (level !== 'warn' && level !== 'error') return [];
  // Any value can be thrown; `inspect` formats it without running its code.
  const more = details === undefined ? [] : inspect(details, { depth: 4 }).slice(0, MAX_DETAILS_LENGTH).split('\n');
  return [`[${level}] ${event}: ${message}`, ...more].map(printable);
}

/** The address that an option or a variable gives. */
function addressIn(line: CommandLine, option: 'store' | 'bus', variable: string): string | undefined {
  const address = line.value(option) ?? process.env[variable];
  return address === '' ? undefined : address;
}

/** Opens the store of `--store` or `TENON_STORE`. The server closes it by ending the process. */
async function openStore(line: CommandLine): Promise<Store | undefined> {
  const address = addressIn(line, 'store', 'TENON_STORE');
  if (address === undefined) return undefined;
  const store = await import('@tenon/store');
  try {
    return await store.openStore(address);
  } catch (error) {
    throw new Failure('usage', 'no_store', (error as Error).message, { blame: 'you' });
  }
}

/** Opens the bus of `--bus` or `TENON_BUS`, or that of the server of the store. Ending the process closes it. */
async function openBus(line: CommandLine): Promise<Bus | undefined> {
  const bus = addressIn(line, 'bus', 'TENON_BUS');
  const store = addressIn(line, 'store', 'TENON_STORE');
  if (bus === undefined && store === undefined) return undefined;
  const { openBusFor } = await import('@tenon/store');
  try {
    return await openBusFor({ store, bus });
  } catch (error) {
    throw new Failure('usage', 'no_bus', (error as Error).message, { blame: 'you' });
  }
}

interface RunningServer {
  readonly app: Server;
  /** The path of its file. */
  readonly path: string;
  readonly store: Store | undefined;
  readonly bus: Bus | undefined;
}

/** Serves over HTTP until a signal ends the process. */
async function runHttp(
  { app, path, store, bus }: RunningServer,
  port: number,
  { screen, interrupt }: VerbContext,
): Promise<void> {
  const { serveHttp } = await serving(path);
  const stopped = new Promise<void>((resolve) => interrupt.addEventListener('abort', () => resolve(), { once: true }));
  let served: Awaited<ReturnType<typeof serveHttp>>;
  try {
    served = await serveHttp(app, {
      port,
      sse: true,
      store,
      bus,
      log: (entry) => {
        for (const text of logLines(entry)) screen.line(text);
      },
    });
  } catch (error) {
    throw new Failure('usage', 'not_served', `Cannot serve on port ${port}: ${(error as Error).message}`, {
      blame: 'you',
    });
  }
  screen.line(`Serving ${app.name} at ${served.url}`);
  await stopped;
  await served.close();
}

/** `tenon run <file>` */
export async function run(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen } = context;
  const path = findModule(line);
  const given = line.words[1]!;
  const module = await load(path, given);
  const app = module['default'];
  if (!('default' in module))
    throw usage(`${given} has no default export`, 'Write: export default server({ … })', 'no_server');
  if (!isServer(app)) {
    const what = app instanceof Promise ? 'a promise: await it' : `a ${typeof app}`;
    throw usage(
      `The default export of ${given} is not a server, but ${what}`,
      `Write: export default server({ … }), with server from 'tenon'`,
      'no_server',
    );
  }
  const port = parsePort(line, 'http');
  if (port === undefined && line.value('bus') !== undefined)
    throw usage('--bus connects the nodes of a server over HTTP', 'Add --http 3000');
  const store = await openStore(line);
  if (port !== undefined) return runHttp({ app, path, store, bus: await openBus(line) }, port, context);
  const { serveStdio } = await serving(path);
  if (process.stdin.isTTY === true && !line.given.has('quiet')) {
    screen.line(
      `Serving ${app.name} on stdin and stdout: one JSON-RPC message per line. To inspect it: tenon list -- tenon run ${given}`,
    );
  }
  await serveStdio(app, { store });
}
