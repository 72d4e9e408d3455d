import type { CommandLine } from '../command-line.ts';
import { type Failure, usage } from '../failure.ts';
import { oneLine } from '../printable.ts';
import { loadSession, type Saved, sessionIds } from './sessions.ts';

/** What stands for the conversation that was used last. */
const LAST = 'last';
const MOST_NAMED = 5;

const unknown = (wanted: string, ids: readonly string[], state: string): Failure => {
  const named = ids.slice(0, MOST_NAMED).join(', ');
  const more = ids.length > MOST_NAMED ? `, and ${ids.length - MOST_NAMED} more` : '';
  return usage(
    `There is no conversation '${oneLine(wanted, 100)}'`,
    [
      `Kept in ${oneLine(state, 300)}, the one that was used last first: ${named}${more}.`,
      `To say this in the last one: --resume ${LAST} ${JSON.stringify(oneLine(wanted, 100))}`,
    ].join('\n  '),
  );
};

/**
 * The conversation that --resume goes on with, and what is left of the words of the command line. The first word says which one, so that no
 * wrong name is said to the model; without words it is the last. Throws a usage failure.
 */
export const beforeOf = async (
  line: CommandLine,
  state: string,
): Promise<{ readonly before: Saved | undefined; readonly words: readonly string[] }> => {
  const words = line.words.slice(1);
  if (!line.given.has('resume')) return { before: undefined, words };
  const [wanted = LAST, ...rest] = words;
  const ids = await sessionIds(state);
  const [last] = ids;
  if (last === undefined)
    throw usage('There is no conversation to resume yet', `They are kept in ${oneLine(state, 300)}.`);
  const before = await loadSession(state, wanted === LAST ? last : wanted);
  if (before === undefined) throw unknown(wanted, ids, state);
  return { before, words: rest };
};
