import type { CommandLine } from '../command-line.ts';
import { usage } from '../failure.ts';
import { isSessionId, loadSession, type Saved } from './sessions.ts';

/** The conversation that --resume goes on with, and what is left of the words of the command line. Throws a usage failure. */
export const beforeOf = async (
  line: CommandLine,
  state: string,
): Promise<{ readonly before: Saved | undefined; readonly words: readonly string[] }> => {
  const words = line.words.slice(1);
  if (!line.given.has('resume')) return { before: undefined, words };
  const [first] = words;
  const id = first !== undefined && isSessionId(first) ? first : undefined;
  const before = await loadSession(state, id).catch((error: unknown) => {
    throw usage(`The conversation cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (before === undefined) {
    throw usage(
      id === undefined ? 'There is no conversation to resume yet' : `There is no conversation ${id}`,
      `They are kept in ${state}.`,
    );
  }
  return { before, words: id === undefined ? words : words.slice(1) };
};
