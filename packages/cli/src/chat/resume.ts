import type { CommandLine } from '../command-line/command-line.ts';
import { type Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { loadSession, type SavedConversation, sessionIds } from './sessions.ts';

/** The name for the most recently used conversation. */
const LAST = 'last';
const MAX_NAMED = 5;

function unknown(wanted: string, ids: readonly string[], state: string): Failure {
  const named = ids.slice(0, MAX_NAMED).join(', ');
  const more = ids.length > MAX_NAMED ? `, and ${ids.length - MAX_NAMED} more` : '';
  return usage(
    `There is no conversation '${oneLine(wanted, 100)}'`,
    [
      `SavedConversation in ${oneLine(state, 300)}, most recently used first: ${named}${more}.`,
      `To send this text in the last conversation: --resume ${LAST} ${JSON.stringify(oneLine(wanted, 100))}`,
    ].join('\n  '),
  );
}

/**
 * The conversation of `--resume`, and the remaining words of the command line. The first word is always the conversation's id, so that a
 * misspelled id is not sent to the model; without words it is the last conversation. Throws a usage failure.
 */
export async function findResumed(
  line: CommandLine,
  state: string,
): Promise<{ readonly before: SavedConversation | undefined; readonly words: readonly string[] }> {
  const words = line.words.slice(1);
  if (!line.given.has('resume')) return { before: undefined, words };
  const [wanted = LAST, ...rest] = words;
  const ids = await sessionIds(state);
  const [last] = ids;
  if (last === undefined)
    throw usage('There is no conversation to resume yet', `Conversations are saved in ${oneLine(state, 300)}.`);
  const before = await loadSession(state, wanted === LAST ? last : wanted);
  if (before === undefined) throw unknown(wanted, ids, state);
  return { before, words: rest };
}
