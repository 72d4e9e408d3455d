// Completes the last word of a command line.
import { type CommandLine, parseCommandLine } from '../command-line/command-line.ts';
import { type OptionName, type OptionRow, OPTIONS } from '../command-line/options.ts';
import { Failure } from '../failure/failure.ts';

/** A word with which the shell may complete the command line. */
export interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/** The parts of a verb that are completed. */
export interface CompletedVerb {
  readonly name: string;
  readonly synopsis: string;
  readonly meaning: string;
  readonly options: readonly OptionName[];
  /** How many arguments come before the name of a server of a configuration. Default: none. */
  readonly serverAfter?: number;
}

/** The sources of the completed words. */
export interface CompletionSources {
  readonly verbs: readonly CompletedVerb[];
  /** The servers of `tenon run`, with their descriptions. */
  readonly ownServers: ReadonlyMap<string, string>;
  /** The names of servers in the configuration of this command line. */
  names(line: CommandLine): Promise<readonly string[]>;
}

/** Names of servers come from files, such as those of an untrusted project: a name with a special meaning in a shell is not offered. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,99}$/;
const MAX_NAMES = 1_000;

/** bash splits words at `=` and `:`, so that an option and its value become three words. */
function withoutSplits(words: readonly string[]): string[] {
  const whole: string[] = [];
  let isOpen = false;
  for (const word of words) {
    const isSign = /^[=:]+$/.test(word);
    if ((isSign || isOpen) && whole.length > 0) whole.push(whole.pop()! + word);
    else whole.push(word);
    isOpen = isSign;
  }
  return whole;
}

function parsed(words: readonly string[]): CommandLine | undefined {
  try {
    return parseCommandLine(words);
  } catch (error) {
    // An option that does not exist, or that still needs its value.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const HELP: Candidate = { word: 'help', meaning: 'the arguments and options of a verb' };

/** The fixed words at the beginning of a synopsis: `add|list`, or `[tools|prompts]`. */
function fixedWords(synopsis: string): string[] {
  const [first = ''] = synopsis.split(' ');
  const inside = /^\[(\S+\|\S+)\]$/.exec(first)?.[1] ?? first;
  return /^[a-z]+(?:\|[a-z]+)*$/.test(inside) ? inside.split('|') : [];
}

function optionCandidates(verb: CompletedVerb | undefined, { given }: CommandLine): Candidate[] {
  const rows: readonly OptionRow[] = OPTIONS;
  const isOf = (name: string): boolean =>
    verb === undefined ? name === 'help' || name === 'version' : verb.options.some((option) => option === name);
  return rows
    .filter(({ name, many }) => isOf(name) && (many === true || !(given as ReadonlySet<string>).has(name)))
    .map(({ name, meaning }) => ({ word: `--${name}`, meaning }));
}

async function wordCandidates(
  verb: CompletedVerb,
  line: CommandLine,
  sources: CompletionSources,
): Promise<Candidate[]> {
  const before = line.words.length - 1;
  const found: Candidate[] = [];
  if (before === 0) found.push(...fixedWords(verb.synopsis).map((word) => ({ word, meaning: '' })));
  if (before === 0 && verb.name === 'run')
    found.push(...[...sources.ownServers].map(([word, meaning]) => ({ word, meaning })));
  if (verb.options.includes('config') && before >= (verb.serverAfter ?? 0)) {
    const names = (await sources.names(line)).filter((name) => PLAIN.test(name)).slice(0, MAX_NAMES);
    found.push(...names.map((word) => ({ word, meaning: 'a configured server' })));
  }
  return found;
}

/** The candidates for the last of `words`, which may be empty; `words` begin after the name of the command. */
export async function candidates(words: readonly string[], sources: CompletionSources): Promise<Candidate[]> {
  const whole = withoutSplits(words);
  const last = whole.pop() ?? '';
  const line = whole.includes('--') ? undefined : parsed(whole);
  if (line === undefined) return [];
  const [first, ...more] = line.words;
  const verb = sources.verbs.find(({ name }) => name === first);
  const isHelp = first === 'help' && more.length === 0;
  const starting = async (): Promise<Candidate[]> => {
    if (last.startsWith('-')) return optionCandidates(verb, line);
    const verbs = sources.verbs.map(({ name, meaning }) => ({ word: name, meaning }));
    if (isHelp) return verbs;
    if (first === undefined) return [...verbs, HELP];
    return verb === undefined || line.target !== undefined ? [] : wordCandidates(verb, line, sources);
  };
  return (await starting()).filter(({ word }) => word.startsWith(last));
}
