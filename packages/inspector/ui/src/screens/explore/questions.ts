import type { InboxItem, ServerView } from '../../../../src/api/views.ts';
import type { PastCall } from './calls.ts';

/** Open questions while a call runs. */
export interface CallQuestions {
  /** The questions of this call. */
  readonly own: readonly InboxItem[];
  /** The number of questions on the same connection that may or may not belong to this call. */
  readonly others: number;
}

/**
 * The open questions of a call. In 2026-07-28 they are in its answer; before, a question does not say which call it belongs to,
 * unless only one is running. `call`: from the trace; undefined: not loaded yet. `task`: the task created for it.
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
