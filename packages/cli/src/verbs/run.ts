import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { LogEntry, Server } from 'tenon';
import type { CommandLine } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { OWN_SERVERS } from '../own-servers.ts';
import { printable } from '../printable.ts';
import type { World } from '../session.ts';

/** Of what a handler threw, in characters. */
const LONGEST_DETAILS = 16_384;

/** What `server()` marks its values with, in every copy of the package. */
const SERVER = Symbol.for('tenon.server');

const isServer = (value: unknown): value is Server => typeof value === 'object' && value !== null && SERVER in value;

const fileGiven = (line: CommandLine): string => {
  const [, given, more] = line.words;
  if (given === undefined || more !== undefined) throw usage('Which file?', 'tenon run server.ts');
  if (line.target !== undefined) throw usage('tenon run takes a file, and no command after --');
  const path = resolve(given);
  if (!existsSync(path))
    throw usage(
      `There is no file ${given}, and no server of that name`,
      `Servers are ${[...OWN_SERVERS.keys()].join(', ')}.`,
    );
  if (!statSync(path).isFile()) throw usage(`${given} is not a file`);
  const typescript = ['.ts', '.mts', '.cts'].includes(extname(path));
  // In Node from 22.18, 23.6 and 24 on; `undefined` where Node has never heard of it.
  if (typescript && !process.features.typescript) {
    throw usage(
      `Node ${process.versions.node} does not run TypeScript`,
      'Use Node 22.18, 24 or newer, or compile the file and run the JavaScript.',
      'no_typescript',
    );
  }
  return path;
};

const FIXES: ReadonlyMap<unknown, string> = new Map([
  [
    'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
    'Node only removes types: enums, namespaces and parameter properties need a compiler.',
  ],
  ['ERR_UNKNOWN_FILE_EXTENSION', 'The file must be JavaScript or TypeScript: .js, .mjs, .ts, .mts.'],
]);

const notLoaded = (given: string, error: unknown): Failure => {
  const { message, stack, code } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { message: String(error), stack: undefined, code: undefined };
  const fix = FIXES.get(code);
  return new Failure('usage', 'not_loaded', `${given} could not be loaded: ${message}`, {
    blame: 'you',
    ...(stack === undefined ? {} : { evidence: stack }),
    ...(fix === undefined ? {} : { fix }),
  });
};

/** Loads the module. What it prints meanwhile goes to stderr: stdout is for the protocol. */
const load = async (path: string, given: string): Promise<Readonly<Record<string, unknown>>> => {
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
};

/** The SDK that the file itself uses, because the server is a value of that copy; ours where it has none of its own. */
const serving = async (path: string): Promise<typeof import('tenon/node')> => {
  let own: string;
  try {
    own = createRequire(path).resolve('tenon/node');
  } catch {
    return import('tenon/node');
  }
  return (await import(pathToFileURL(own).href)) as typeof import('tenon/node');
};

/** What a server over HTTP logs, as one on stdin and stdout does by itself: with the error and its stack. */
const logLines = ({ level, event, message, details }: LogEntry): readonly string[] => {
  if (level !== 'warn' && level !== 'error') return [];
  // Anything can be thrown. `inspect` runs no code of the value.
  const more = details === undefined ? [] : inspect(details, { depth: 4 }).slice(0, LONGEST_DETAILS).split('\n');
  return [`[${level}] ${event}: ${message}`, ...more].map(printable);
};

/** Serves over HTTP until a signal ends the process. */
const runHttp = async (app: Server, given: string, path: string, { screen, interrupt }: World): Promise<void> => {
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535) throw usage(`--http must be a port, not '${given}'`);
  const { serveHttp } = await serving(path);
  const stopped = new Promise<void>((resolve) => interrupt.addEventListener('abort', () => resolve(), { once: true }));
  let served: Awaited<ReturnType<typeof serveHttp>>;
  try {
    served = await serveHttp(app, {
      port: Number(given),
      sse: true,
      log: (entry) => {
        for (const text of logLines(entry)) screen.line(text);
      },
    });
  } catch (error) {
    throw new Failure('usage', 'not_served', `It cannot be served at port ${given}: ${(error as Error).message}`, {
      blame: 'you',
    });
  }
  screen.line(`Serving ${app.name} at ${served.url}`);
  await stopped;
  await served.close();
};

/** `tenon run <file>` */
export const run = async (line: CommandLine, world: World): Promise<void> => {
  const { screen } = world;
  const path = fileGiven(line);
  const given = line.words[1]!;
  const module = await load(path, given);
  const app = module['default'];
  if (!('default' in module))
    throw usage(`${given} has no default export`, 'Write: export default server({ … })', 'no_server');
  if (!isServer(app)) {
    const what = app instanceof Promise ? 'a promise: await it' : `a ${typeof app}`;
    throw usage(
      `The default export of ${given} is no server, but ${what}`,
      `Write: export default server({ … }), with server from 'tenon'`,
      'no_server',
    );
  }
  const port = line.value('http');
  if (port !== undefined) return runHttp(app, port, path, world);
  const { serveStdio } = await serving(path);
  if (process.stdin.isTTY === true && !line.given.has('quiet')) {
    screen.line(
      `Serving ${app.name} on stdin and stdout: one JSON-RPC message per line. To look at it: tenon list -- tenon run ${given}`,
    );
  }
  await serveStdio(app);
};
