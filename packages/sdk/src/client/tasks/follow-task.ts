import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { isTerminal, stateOfTask, type TaskState } from './task-state.ts';

/** How a task is followed. */
export interface TaskFollowing {
  /** 2025-11-25: a task has its result by a request of its own, which also carries its questions. */
  readonly isLegacy: boolean;
  /** Sends a request. `waits`: its answer comes when the task has ended. */
  request(method: string, params: { readonly taskId: string }, waits: boolean): Promise<JsonObject>;
  /** Is told what the server says of the task. */
  seen?(state: TaskState): void;
  /** Answers the questions of a task of 2026-07-28. Is called each time that the server shows them. */
  answer?(state: TaskState): void | Promise<void>;
  /** Resolves after so many milliseconds, and rejects when the task is no longer to be followed. */
  delay(ms: number): Promise<void>;
}

/** How a task ended. */
export interface TaskEnd {
  readonly state: TaskState;
  /** The last answer about the task. Of 2026-07-28 it contains the result or the error. */
  readonly answer: JsonObject;
  /** The result of a task of 2025-11-25; undefined if it was cancelled. */
  readonly result: JsonObject | undefined;
}

/** A server that cannot be reached is asked so many times in a row. */
const MAX_FAILURES = 5;

/** Is it what the server has to say? Anything else may be different next time. */
function isAnswer(error: unknown): boolean {
  const { name } = error as Partial<Error>;
  return name === 'ProtocolError' || name === 'PeerError';
}

/** A server that cannot be reached is asked again after this time at the soonest, then after twice as long, and so on: it may be starting. */
const RETRY_MS = 500;

/** Sends a request, again if it fails for another reason than the answer of the server. */
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
 * Asks about a task as often as its server wants to be asked, until it has ended. Rejects when the server answers with an error, or can no
 * longer be reached. In 2025-11-25 the error of a task that failed is such an answer.
 *
 * @param created The state in which it was created, if that has just happened.
 */
export async function followTask(id: string, following: TaskFollowing, created?: TaskState): Promise<TaskEnd> {
  const { isLegacy } = following;
  const about = { taskId: id };
  let result: Promise<JsonObject> | undefined;
  /** While the result is waited for: settles when it is there, or cannot be had. */
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
      // Its questions come while its result is waited for.
      if (isLegacy) fetchResult().catch(() => {});
      else await following.answer?.(state);
    }
    ({ pollMs } = state);
    await Promise.race([following.delay(pollMs), ...(news === undefined ? [] : [news])]);
  }
}
