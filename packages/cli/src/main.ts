import type { Revision } from 'tenon/client';
import { type CommandLine, parseCommandLine } from './command-line/command-line.ts';
import { internal } from './session/explain.ts';
import { Failure, usage } from './failure/failure.ts';
import { helpText, verbHelpText } from './help.ts';
import { nearest } from '@tenon/values/nearest';
import { forgottenDashes, missingServer } from './command-line/mistakes.ts';
import type { OptionName } from './command-line/options.ts';
import type { Output } from './terminal/output.ts';
import { createScreen, type Screen, type Sink } from './terminal/screen.ts';
import type { VerbContext } from './session/session.ts';
import { type Verb, VERBS } from './verbs.ts';
import { version } from './version.ts';

/** The streams of the process, and the signal that Ctrl-C aborts. */
export interface ProcessStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Sink & NodeJS.WritableStream;
  readonly interrupt: AbortSignal;
}

function verbNamed(name: string | undefined, words: readonly string[]): Verb {
  const verb = VERBS.find((known) => known.name === name);
  if (verb !== undefined) return verb;
  if (name === undefined)
    throw usage('Which verb?', `Verbs are ${VERBS.map((known) => known.name).join(', ')}; see tenon --help.`);
  const meant = FOREIGN_VERBS.get(name) ?? nearest(name, [...VERBS.map((known) => known.name), 'help']);
  const fix =
    meant === undefined
      ? (withoutVerb(words) ?? 'The verb comes first; tenon --help lists them.')
      : `Did you mean ${meant}?`;
  throw usage(`There is no verb ${name}`, fix);
}

/** Names of verbs in other programs. */
const FOREIGN_VERBS: ReadonlyMap<string, string> = new Map([
  ['ls', 'list'],
  ['tools', 'list tools'],
  ['resources', 'list resources'],
  ['templates', 'list templates'],
  ['prompts', 'list prompts'],
  ['version', '--version'],
  ['start', 'run'],
]);

/** Options that other programs, or other verbs, have under another name. */
const FOREIGN_OPTIONS: ReadonlyMap<string, OptionName> = new Map([['run port', 'http']]);

/** The verb that was probably meant by a server without a verb, or by a tool without one. */
function withoutVerb(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  if (/^https?:\/\//i.test(first)) return `The verb comes first: tenon inspect ${first}`;
  if (/^[\w-]+:?=/.test(words[1] ?? '')) return `To call the tool ${first}: tenon call ${first} ${words[1]} …`;
  return forgottenDashes(['inspect', ...words], 1)?.details.fix;
}

function checkOptions({ given }: CommandLine, { name, options }: Verb): void {
  if (given.has('json') && given.has('text')) throw usage('--json and --text cannot be combined');
  const allowed: ReadonlySet<OptionName> = new Set(options);
  for (const option of given) {
    if (allowed.has(option)) continue;
    const meant = FOREIGN_OPTIONS.get(`${name} ${option}`) ?? options.find((known) => option.startsWith(known));
    const fix = meant === undefined ? `tenon ${name} --help lists its options.` : `Did you mean --${meant}?`;
    throw usage(`tenon ${name} has no option --${option}`, fix);
  }
  if (given.has('bare') && !given.has('frame')) throw usage('--bare needs --frame');
  if (given.has('wait') && !given.has('frame')) throw usage('--wait needs --frame');
}

/**
 * Adds the server that the command line names in a configuration: by the last word, or as the only one of `--config`. Throws a usage
 * failure for a word that was probably meant as a server.
 */
async function withConfigured(line: CommandLine, { serverAfter }: Verb): Promise<CommandLine> {
  if (serverAfter === undefined || line.target !== undefined) return line;
  const last = line.words.length > serverAfter + 1 ? line.words.at(-1) : undefined;
  const { configured, onlyConfigured } = await import('./inspector/targets.ts');
  const named = last === undefined ? undefined : await configured(line, last);
  if (named === undefined && !line.given.has('config')) {
    const mistake = missingServer(line, 1);
    if (mistake !== undefined) throw mistake;
    return line;
  }
  const { name, launch, revision } = named ?? (await onlyConfigured(line));
  return {
    ...line,
    words: named === undefined ? line.words : line.words.slice(0, -1),
    server: {
      name,
      target:
        'url' in launch ? { url: launch.url, headers: launch.headers ?? {}, login: launch.login } : { command: launch },
      revision: revision as Revision | undefined,
    },
  };
}

async function perform(line: CommandLine, screen: Screen, streams: ProcessStreams): Promise<void> {
  const [first, second] = line.words;
  const show = (text: string): void => void streams.stdout.write(`${text}\n`);
  if (line.given.has('version')) return show(version());
  const isHelp = first === 'help' || line.given.has('help');
  const name = first === 'help' ? second : first;
  // Without arguments, a person gets the help, and a program gets an error.
  if (name === undefined && (isHelp || streams.stdout.isTTY)) return show(helpText());
  const verb = verbNamed(name, line.words);
  if (isHelp) return show(verbHelpText(verb));
  checkOptions(line, verb);
  const { stdin, stderr, interrupt } = streams;
  const person = stdin.isTTY === true && stderr.isTTY === true ? { input: stdin, output: stderr } : undefined;
  const context: VerbContext = { screen, stdout: streams.stdout, interrupt, person };
  await verb.run(await withConfigured(line, verb), context);
}

/** Runs the command line. Returns the exit code; never throws. */
export async function main(argv: readonly string[], streams: ProcessStreams): Promise<number> {
  const { stdout, stderr } = streams;
  const screenFor = (line: CommandLine | undefined): Screen =>
    createScreen({
      stdout,
      stderr,
      format: line?.given.has('json') === true ? 'json' : line?.given.has('text') === true ? 'text' : undefined,
      quiet: line?.given.has('quiet') === true,
    });
  let screen = screenFor(undefined);
  let failure: Failure | undefined;
  try {
    const line = parseCommandLine(argv);
    screen = screenFor(line);
    await perform(line, screen, streams);
  } catch (error) {
    failure = error instanceof Failure ? error : internal(error);
  }
  const lost = await stdout.written();
  const writeFailures = lost === undefined ? screen.lost : [...screen.lost, lost];
  for (const each of writeFailures) if (each !== failure) screen.failure(each);
  // A verb that stopped because its reader closed the pipe has not failed.
  if (failure !== undefined && failure.exit !== 0) screen.failure(failure);
  return failure?.exit || (writeFailures[0]?.exit ?? 0);
}
