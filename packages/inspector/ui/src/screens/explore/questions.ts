import type { InboxItem, ServerView } from '../../../../src/api/views.ts';
import type { PastCall } from './calls.ts';

/** Questions that wait for an answer while a call runs. */
export interface CallQuestions {
  /** Those that this call asks. */
  readonly own: readonly InboxItem[];
  /** Questions of the same connection of which nobody can say whether this call asks them. */
  readonly others: number;
}

/**
 * The open questions of a call. In 2026-07-28 its answer holds them; before, nothing says which call a question is for, unless only one runs.
 * `call`: as the trace has it; undefined: not read yet. `task`: the one that was made of it.
 */
export function questionsOf(
  call: Pick<PastCall, 'outcome' | 'response' | 'at'> | undefined,
  { session, running = [] }: Pick<ServerView, 'session' | 'running'>,
  inbox: readonly InboxItem[],
  task?: string,
): CallQuestions {
  const open = inbox.filter((item) => item.status === 'open' && item.session === session);
  const isOwn = ({ line, at, task: asking }: InboxItem): boolean =>
    asking !== undefined
      ? asking === task
      : call?.outcome === 'input'
        ? line === call.response
        : running.length <= 1 && (call === undefined || at >= call.at);
  const own = open.filter(isOwn);
  return { own, others: open.length - own.length };
}
