import type { CommandLine } from '../command-line/command-line.ts';
import { candidates, type CompletedVerb } from '../completion/candidates.ts';
import { SCRIPTS, SEPARATOR } from '../completion/scripts.ts';
import { usage } from '../failure/failure.ts';
import { configuredNames } from '../inspector/targets.ts';
import { OWN_SERVERS } from '../own-servers.ts';
import type { VerbContext } from '../session/session.ts';
import { oneLine } from '../terminal/printable.ts';

/**
 * Prints the completions for the command line after `--`, one per line with its description. Never fails, because there is no one to show
 * an error to.
 */
async function printNext(
  words: readonly string[],
  verbs: readonly CompletedVerb[],
  { stdout }: VerbContext,
): Promise<void> {
  const names = (line: CommandLine): Promise<string[]> => configuredNames(line).catch(() => []);
  const found = await candidates(words, { verbs, ownServers: OWN_SERVERS, names });
  stdout.write(found.map(({ word, meaning }) => `${word}${SEPARATOR}${meaning}\n`).join(''));
}

/** `tenon completion bash|zsh|fish`; the scripts use `tenon completion next -- <words>`. */
export async function completion(
  line: CommandLine,
  context: VerbContext,
  verbs: readonly CompletedVerb[],
): Promise<void> {
  const [, shell, extra] = line.words;
  if (shell === 'next' && line.target !== undefined) return printNext(line.target, verbs, context);
  const shells = [...SCRIPTS.keys()].join(', ');
  if (shell === undefined) throw usage('For which shell?', `Write tenon completion and one of ${shells}.`);
  if (extra !== undefined || line.target !== undefined) throw usage('completion takes one word: the shell');
  const script = SCRIPTS.get(shell);
  if (script === undefined) throw usage(`There is no completion for ${oneLine(shell, 60)}`, `Shells are ${shells}.`);
  context.screen.result({ json: () => script, text: () => script });
}
