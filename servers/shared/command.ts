// The command line of all servers here: they serve on stdin and stdout, or over HTTP.
import process from 'node:process';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Server } from 'tenon';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The parsed command line. */
export interface ParsedArguments {
  /** The positional arguments. */
  readonly words: readonly string[];
  text(name: string): string | undefined;
  all(name: string): readonly string[];
  has(name: string): boolean;
  /** A number; a whole one if the least is whole. Throws an `Error` for the user if it is outside of the range. Undefined: it was not given. */
  number(name: string, range: readonly [least: number, most: number]): number | undefined;
  /** Writes a warning to stderr; the server starts anyway. */
  warn(message: string): void;
}

export interface ServerCommand {
  /** The name for `tenon run <name>`. */
  readonly name: string;
  /** A description in one line. */
  readonly about: string;
  /** The positional arguments in the usage line: `[folder …]`. Without it there are none. */
  readonly words?: string;
  /** Options besides `--http` and `--help`, with their descriptions. */
  readonly options?: Readonly<
    Record<string, { readonly type: 'string' | 'boolean'; readonly many?: boolean; readonly about: string }>
  >;
  /**
   * Makes the server; undefined if the arguments asked for something else, which is done. Throws an `Error` with a message for the user if
   * the arguments cannot be used.
   */
  create(given: ParsedArguments): Server | undefined | Promise<Server | undefined>;
}

function helpOf({ name, about, words = '', options = {} }: ServerCommand): string {
  const rows = [
    ...Object.entries(options).map(([option, { type, about: what }]) => [
      `--${option}${type === 'string' ? ' <value>' : ''}`,
      what,
    ]),
    ['--http <port>', 'serve over HTTP on this local port, instead of stdin and stdout'],
    ['--help', 'print this'],
  ];
  const width = Math.max(...rows.map(([option]) => option!.length)) + 2;
  const lines = rows.map(([option, what]) => `  ${option!.padEnd(width)}${what}`);
  return `${name}: ${about}\n\nUsage: ${name} ${words === '' ? '' : `${words} `}[options]\n\n${lines.join('\n')}\n`;
}

function parseCommandLine(command: ServerCommand, argv: readonly string[]): ParsedArguments {
  const options: Options = { http: { type: 'string' }, help: { type: 'boolean' } };
  for (const [name, { type, many }] of Object.entries(command.options ?? {}))
    options[name] = { type, multiple: many ?? false };
  const { values, positionals } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: command.words !== undefined,
  });
  const found = values as Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  return {
    words: positionals,
    text: (name) => (typeof found[name] === 'string' ? found[name] : undefined),
    all: (name) => [found[name] ?? []].flat().filter((value) => typeof value === 'string'),
    has: (name) => found[name] !== undefined && found[name] !== false,
    number: (name, range) => parseNumber(name, found[name], range),
    warn: (message) => void process.stderr.write(`${command.name}: ${message}\n`),
  };
}

function parseNumber(name: string, text: unknown, [least, most]: readonly [number, number]): number | undefined {
  if (text === undefined) return undefined;
  const pattern = Number.isInteger(least) ? /^\d{1,9}$/ : /^\d{1,9}(?:\.\d{1,3})?$/;
  const value = pattern.test(String(text)) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`--${name} takes a number from ${least} to ${most}, not '${String(text)}'`);
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`--http takes a port, not '${text}'`);
  return port;
}

/** Write errors that the reader did not cause, such as a full disk. */
const LOST = /^(?:ENOSPC|EDQUOT|EFBIG|EIO)$/;

/** Exits with a failure if output is lost. A reader that has closed the pipe is a normal end. */
function watchOutput(name: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!LOST.test(String(error.code))) return;
    process.once('exit', () => {
      // The command that runs this server may have reported it already.
      if (process.exitCode !== undefined && process.exitCode !== 0) return;
      process.stderr.write(`${name}: the output could not be written: ${error.message}\n`);
      process.exitCode = 1;
    });
  });
}

/** Runs a server until its client disconnects, or a signal ends it. The exit code is 2 for invalid arguments, and 1 if output is lost. */
export async function run(command: ServerCommand, argv: readonly string[]): Promise<void> {
  watchOutput(command.name);
  try {
    const given = parseCommandLine(command, argv);
    if (given.has('help')) return void process.stdout.write(helpOf(command));
    const port = given.text('http');
    const app = await command.create(given);
    if (app === undefined) return;
    const node = await import('tenon/node');
    if (port === undefined) return await node.serveStdio(app);
    const { url } = await node.serveHttp(app, { port: parsePort(port), sse: true });
    process.stderr.write(`Serving ${command.name} at ${url}\n`);
  } catch (error) {
    process.stderr.write(`${command.name}: ${(error as Error).message}\nTry ${command.name} --help\n`);
    process.exitCode = 2;
  }
}
