import { parseArgs } from 'node:util';
import { usage } from '../failure/failure.ts';
import { type OptionName, type OptionRow, OPTIONS } from './options.ts';
import { nearest } from '@tenon/values/nearest';
import type { ConfiguredServer } from './server-target.ts';

/** The parsed command line. */
export interface CommandLine {
  /** The verb and its arguments. */
  readonly words: readonly string[];
  /** The command and arguments after `--`, unchanged; or the last word, if it is a URL. Undefined without either. */
  readonly target: readonly string[] | undefined;
  /** The server of a configuration that the command line names instead. */
  readonly server?: ConfiguredServer;
  /** The options present, by their long names. */
  readonly given: ReadonlySet<OptionName>;
  value(name: OptionName): string | undefined;
  values(name: OptionName): readonly string[];
}

const rows: readonly OptionRow[] = OPTIONS;

const config = Object.fromEntries(
  rows.map(({ name, short, value }) => [
    name,
    {
      type: value === undefined ? 'boolean' : 'string',
      multiple: true,
      // Absent, not undefined: `parseArgs` takes an undefined member for an invalid letter.
      ...(short === undefined ? {} : { short }),
    } as const,
  ]),
);

/** Names of the option in other programs. */
const VERSION: ReadonlySet<string> = new Set(['-v', '-V']);
/** Verbs whose words are arguments for the server. */
const WITH_ARGUMENTS: ReadonlySet<string | undefined> = new Set(['call', 'prompt']);

function unknownOption(name: string, verb: string | undefined): Error {
  if (VERSION.has(name)) return usage(`There is no option ${name}`, 'Did you mean --version?');
  const after = 'Options of the server go after --, with its command.';
  const argument = `An argument of the server has no dashes: ${name.replace(/^-+/, '')}=text. ${after}`;
  const near = nearest(
    name.replace(/^-+/, ''),
    rows.map((row) => row.name),
  );
  return usage(
    `There is no option ${name}`,
    near !== undefined ? `Did you mean --${near}?` : WITH_ARGUMENTS.has(verb) ? argument : after,
  );
}

const URL_WORD = /^https?:\/\//i;

/** Splits the arguments at the first `--` and reads the part before it. Throws a usage failure. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const split = argv.indexOf('--');
  const args = split === -1 ? [...argv] : argv.slice(0, split);
  const target = split === -1 ? undefined : argv.slice(split + 1);
  const { tokens } = parseArgs({ args, options: config, strict: false, allowPositionals: true, tokens: true });
  const words: string[] = [];
  const found = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const row = rows.find(({ name }) => name === token.name);
    if (row === undefined) throw unknownOption(token.rawName, words[0]);
    const values = found.get(row.name) ?? [];
    found.set(row.name, values);
    if (row.value === undefined && token.value !== undefined) throw usage(`${token.rawName} takes no value`);
    if (row.value !== undefined) values.push(valueOf(row, token.value, token.inlineValue));
    if (row.many !== true && values.length > 1) throw usage(`--${row.name} is given twice`);
  }
  const address = target === undefined && words.length > 1 && URL_WORD.test(words.at(-1)!) ? words.pop() : undefined;
  return {
    words,
    target: address === undefined ? target : [address],
    given: new Set(found.keys()) as ReadonlySet<string> as ReadonlySet<OptionName>,
    value: (name) => found.get(name)?.at(-1),
    values: (name) => found.get(name) ?? [],
  };
}

function valueOf({ name, value }: OptionRow, given: string | undefined, inline: boolean | undefined): string {
  if (given === undefined) throw usage(`--${name} needs a value: --${name} <${value}>`);
  // `--timeout --json`: probably a forgotten value.
  if (inline !== true && given.startsWith('-') && given !== '-') {
    throw usage(`--${name} needs a value`, `If ${given} is the value, write --${name}=${given}`);
  }
  return given;
}

/** The value of an option as a positive integer; undefined without the option. Throws a usage failure. */
export function parseNumberOption(
  line: CommandLine,
  name: 'timeout' | 'count' | 'wait' | 'concurrency' | 'seconds' | 'p99',
): number | undefined {
  const text = line.value(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 2 ** 31 - 1)
    throw usage(`--${name} must be a positive whole number, not '${text}'`);
  return number;
}

/** The value of an option as a port, where 0 is any free one; undefined without the option. Throws a usage failure. */
export function parsePort(line: CommandLine, name: 'http' | 'port'): number | undefined {
  const text = line.value(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw usage(`--${name} must be a port, not '${text}'`);
  return Number(text);
}
