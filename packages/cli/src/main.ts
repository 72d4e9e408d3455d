import { type CommandLine, parseCommandLine } from './command-line.ts';
import { internal } from './explain.ts';
import { Failure, usage } from './failure.ts';
import { helpText, verbHelpText } from './help.ts';
import { nearest } from './nearest.ts';
import type { OptionName } from './options.ts';
import type { Output } from './output.ts';
import { createScreen, type Screen, type Sink } from './screen.ts';
import type { World } from './session.ts';
import { type Verb, VERBS } from './verbs.ts';
import { version } from './version.ts';

/** The streams of the process, and the way Ctrl-C is told. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Sink & NodeJS.WritableStream;
  readonly interrupt: AbortSignal;
}

const verbNamed = (name: string | undefined): Verb => {
  const verb = VERBS.find((known) => known.name === name);
  if (verb !== undefined) return verb;
  if (name === undefined)
    throw usage('Do what?', `Verbs are ${VERBS.map((known) => known.name).join(', ')}; tenon --help tells more.`);
  const near = nearest(
    name,
    VERBS.map((known) => known.name),
  );
  throw usage(
    `There is no verb ${name}`,
    near === undefined ? 'The verb comes first; tenon --help lists them.' : `Did you mean ${near}?`,
  );
};

const checkOptions = ({ given }: CommandLine, { name, options }: Verb): void => {
  if (given.has('json') && given.has('text')) throw usage('--json and --text exclude each other');
  const allowed: ReadonlySet<OptionName> = new Set(options);
  for (const option of given)
    if (!allowed.has(option))
      throw usage(`tenon ${name} has no option --${option}`, `tenon ${name} --help lists its options.`);
  if (given.has('bare') && !given.has('frame')) throw usage('--bare goes with --frame');
  if (given.has('wait') && !given.has('frame')) throw usage('--wait goes with --frame');
};

const perform = async (line: CommandLine, screen: Screen, around: Surroundings): Promise<void> => {
  const [name] = line.words;
  const show = (text: string): void => void around.stdout.write(`${text}\n`);
  if (line.given.has('version')) return show(version());
  if (name === undefined && line.given.has('help')) return show(helpText());
  const verb = verbNamed(name);
  if (line.given.has('help')) return show(verbHelpText(verb));
  checkOptions(line, verb);
  const { stdin, stderr, interrupt } = around;
  const person = stdin.isTTY === true && stderr.isTTY === true ? { input: stdin, output: stderr } : undefined;
  const world: World = { screen, stdout: around.stdout, interrupt, person };
  await verb.run(line, world);
};

/** Does what the command line says. Gives the exit code; never throws. */
export const main = async (argv: readonly string[], around: Surroundings): Promise<number> => {
  const { stdout, stderr } = around;
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
    await perform(line, screen, around);
  } catch (error) {
    failure = error instanceof Failure ? error : internal(error);
  }
  const lost = await stdout.written();
  const unwritten = lost === undefined ? screen.lost : [...screen.lost, lost];
  for (const each of unwritten) if (each !== failure) screen.failure(each);
  // A verb that stopped because its reader has stopped did nothing wrong.
  if (failure !== undefined && failure.exit !== 0) screen.failure(failure);
  return failure?.exit || (unwritten[0]?.exit ?? 0);
};
