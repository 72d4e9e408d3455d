import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { isTerminal, stateOfTask, type TaskState } from './task-state.ts';

/** Options for following a task. */
export interface TaskFollowing {
  /** 2025-11-25: the result of a task is requested separately, and its questions come during that request. */
  readonly isLegacy: boolean;
  /** Sends a request. `waits`: the answer comes when the task has ended. */
  request(method: string, params: { readonly taskId: string }, waits: boolean): Promise<JsonObject>;
  /** Called with each state of the task that the server reports. */
  seen?(state: TaskState): void;
  /** Answers the questions of a task of 2026-07-28. Called each time the server reports them. */
  answer?(state: TaskState): void | Promise<void>;
  /** Resolves after `ms` milliseconds, and rejects when following is aborted. */
  delay(ms: number): Promise<void>;
}

/** How a task ended. */
export interface TaskEnd {
  readonly state: TaskState;
  /** The last answer about the task. In 2026-07-28 it contains the result or the error. */
  readonly answer: JsonObject;
  /** The result of a task of 2025-11-25; undefined if it was cancelled. */
  readonly result: JsonObject | undefined;
}

/** The maximum number of consecutive failures to reach the server. */
const MAX_FAILURES = 5;

/** Is the error the server's answer? Any other error may go away. */
function isAnswer(error: unknown): boolean {
  const { name } = error as Partial<Error>;
  return name === 'ProtocolError' || name === 'PeerError';
}

/** The delay before an unreachable server is asked again, in milliseconds. It is doubled each time. The server may be starting. */
const RETRY_MS = 500;

/** Sends a request, and repeats it if it fails for another reason than an error answer of the server. */
export async function repeat(
  send: () => Promise<JsonObject>,
  { delay }: Pick<TaskFollowing, 'delay'>,
  pollMs: number,
): Promise<JsonObject> {
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (error) {
      if (isAnswer(error) || failures >= MAX_FAILURES) throw error;
      await delay(Math.max(pollMs, RETRY_MS) * 2 ** failures);
    }
  }
}

/**
 * Polls a task at the interval that its server sets, until it has ended. Rejects when the server answers with an error, or can no longer be
 * reached. In 2025-11-25 the error of a failed task is such an answer.
 *
 * @param created The state in which it was created, if that has just happened.
 */
export async function followTask(id: string, following: TaskFollowing, created?: TaskState): Promise<TaskEnd> {
  const { isLegacy } = following;
  const about = { taskId: id };
  let result: Promise<JsonObject> | undefined;
  /** While the client waits for the result: settles when the result has arrived or cannot be fetched. */
  let news: Promise<void> | undefined;
  const fetchResult = (): Promise<JsonObject> => {
    if (result !== undefined) return result;
    const fetched = (result = following.request('tasks/result', about, true));
    const done = (error?: unknown): void => {
      news = undefined;
      if (error !== undefined && !isAnswer(error)) result = undefined;
    };
    news = fetched.then(() => done(), done);
    return fetched;
  };
  if (created !== undefined) await following.delay(created.pollMs);
  for (let pollMs = 0; ;) {
    const answer = await repeat(() => following.request('tasks/get', about, false), following, pollMs);
    const state = stateOfTask(id, answer);
    following.seen?.(state);
    if (isTerminal(state.status)) {
      const hasResult = isLegacy && state.status !== 'cancelled';
      return { state, answer, result: hasResult ? await repeat(fetchResult, following, state.pollMs) : undefined };
    }
    if (state.status === 'input_required') {
      // The questions of the task come while the client waits for its result.
      if (isLegacy) fetchResult().catch(() => {});
      else await following.answer?.(state);
    }
    ({ pollMs } = state);
    await Promise.race([following.delay(pollMs), ...(news === undefined ? [] : [news])]);
  }
}
