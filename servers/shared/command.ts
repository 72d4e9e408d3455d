// How every server here is started: over stdin and stdout, or over HTTP.
import process from 'node:process';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Server } from 'tenon';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What was written on the command line. */
export interface Given {
  /** Words that belong to no option. */
  readonly words: readonly string[];
  text(name: string): string | undefined;
  all(name: string): readonly string[];
  has(name: string): boolean;
}

export interface ServerCommand {
  /** As it is called: `tenon run <name>`. */
  readonly name: string;
  /** One line. */
  readonly about: string;
  /** What words stand for: `[folder …]`. */
  readonly words?: string;
  /** Options besides `--http`, and what they mean. */
  readonly options?: Readonly<
    Record<string, { readonly type: 'string' | 'boolean'; readonly many?: boolean; readonly about: string }>
  >;
  /** Makes the server. What it cannot work with is an `Error`, whose message the user reads. */
  create(given: Given): Server | Promise<Server>;
}

const helpOf = ({ name, about, words = '', options = {} }: ServerCommand): string => {
  const rows = [
    ...Object.entries(options).map(([option, { type, about: what }]) => [
      `--${option}${type === 'string' ? ' <value>' : ''}`,
      what,
    ]),
    ['--http <port>', 'serve over HTTP at this port of this machine, instead of stdin and stdout'],
    ['--help', 'this'],
  ];
  const width = Math.max(...rows.map(([option]) => option!.length)) + 2;
  const lines = rows.map(([option, what]) => `  ${option!.padEnd(width)}${what}`);
  return `${name}: ${about}\n\nUsage: ${name} ${words === '' ? '' : `${words} `}[options]\n\n${lines.join('\n')}\n`;
};

const givenOf = (command: ServerCommand, argv: readonly string[]): Given => {
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
  };
};

const portOf = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`--http takes a port, not '${text}'`);
  return port;
};

/** Runs a server until its client is gone, or a signal ends it. The exit code is 2 for what was written wrong. */
export const run = async (command: ServerCommand, argv: readonly string[]): Promise<void> => {
  try {
    const given = givenOf(command, argv);
    if (given.has('help')) return void process.stdout.write(helpOf(command));
    const port = given.text('http');
    const app = await command.create(given);
    const node = await import('tenon/node');
    if (port === undefined) return await node.serveStdio(app);
    const { url } = await node.serveHttp(app, { port: portOf(port), sse: true });
    process.stderr.write(`Serving ${command.name} at ${url}\n`);
  } catch (error) {
    process.stderr.write(`${command.name}: ${(error as Error).message}\nTry ${command.name} --help\n`);
    process.exitCode = 2;
  }
};
