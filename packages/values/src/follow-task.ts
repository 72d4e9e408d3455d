// Tasks that servers make of calls: of 2025-11-25, and of the extension of 2026-07-28. They are followed until they end.

import { isObject } from './is-object.ts';

/** The name of the extension of 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** A task as its server tells of it. */
export interface TaskState {
  readonly taskId: string;
  /** One of the specification, or whatever the server says. */
  readonly status: string;
  readonly statusMessage: string | undefined;
  /** How long to wait before it is asked about again, in milliseconds, within bounds. */
  readonly pollMs: number;
  /** What a task of 2026-07-28 wants to know, by name. */
  readonly inputRequests: Readonly<Record<string, unknown>> | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** A server that says nothing of it is asked once a second. */
const POLL_MS = 1_000;
const LEAST_POLL_MS = 250;
const MOST_POLL_MS = 5 * 60_000;

function pollMsOf({ pollInterval, pollIntervalMs }: Json): number {
  const asked = pollIntervalMs ?? pollInterval;
  return typeof asked === 'number' && asked > 0 ? Math.min(MOST_POLL_MS, Math.max(LEAST_POLL_MS, asked)) : POLL_MS;
}

function stateOf(task: Json): TaskState | undefined {
  const { taskId, status, statusMessage, inputRequests } = task;
  if (typeof taskId !== 'string' || taskId === '') return undefined;
  return {
    taskId,
    status: typeof status === 'string' ? status : 'working',
    statusMessage: typeof statusMessage === 'string' ? statusMessage : undefined,
    pollMs: pollMsOf(task),
    inputRequests: isObject(inputRequests) ? inputRequests : undefined,
  };
}

/** The task that the result of a call says was made; undefined: it is a result. */
export function createdTask(result: unknown): TaskState | undefined {
  if (!isObject(result)) return undefined;
  if (result['resultType'] === 'task') return stateOf(result);
  return isObject(result['task']) ? stateOf(result['task']) : undefined;
}

const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Has a task with this status ended? */
export function isTaskOver(status: unknown): boolean {
  return typeof status === 'string' && OVER.has(status);
}

/** How a task is followed. */
export interface TaskFollowing {
  /** 2025-11-25: a task has its result by a request of its own, which also carries its questions. */
  readonly isLegacy: boolean;
  /** Sends a request. `waits`: its answer comes when the task has ended. */
  request(method: string, params: { readonly taskId: string }, waits: boolean): Promise<Json>;
  /** Is told of what the server says of the task. */
  seen?(state: TaskState): void;
  /** Answers what a task of 2026-07-28 wants to know. Is called each time that it says so. */
  answer?(state: TaskState): Promise<void>;
  /** Resolves after so many milliseconds, and rejects when the task is no longer to be followed. */
  delay(ms: number): Promise<void>;
}

/** A server that cannot be reached is asked so many times in a row. */
const MAX_FAILURES = 5;

function isAnswered(error: unknown): boolean {
  return (error as Error | undefined)?.name === 'ProtocolError';
}

/** The state of a task now. Only an error of the server is the last word: anything else is tried again. */
async function ask(taskId: string, following: TaskFollowing, pollMs: number): Promise<TaskState | undefined> {
  for (let failures = 1; ; failures++) {
    try {
      return stateOf(await following.request('tasks/get', { taskId }, false));
    } catch (error) {
      if (isAnswered(error) || failures >= MAX_FAILURES) throw error;
      await following.delay(pollMs * 2 ** failures);
    }
  }
}

/**
 * Asks about a task as often as its server wants to be asked, until it ends. Of 2025-11-25 its result is fetched, too; the one of 2026-07-28
 * comes with the state. Rejects when the server says an error, or can no longer be reached.
 */
export async function followTask(created: TaskState, following: TaskFollowing): Promise<TaskState> {
  const { taskId } = created;
  let state = created;
  let result: Promise<unknown> | undefined;
  const fetchResult = (): Promise<unknown> => (result ??= following.request('tasks/result', { taskId }, true));
  following.seen?.(state);
  while (!isTaskOver(state.status)) {
    if (state.status === 'input_required') {
      // Its questions come while its result is waited for. How that ends is said below.
      if (following.isLegacy) fetchResult().catch(() => {});
      else await following.answer?.(state);
    }
    await following.delay(state.pollMs);
    const next = await ask(taskId, following, state.pollMs);
    if (next?.taskId !== taskId) throw new Error('The answer to tasks/get is not about this task');
    state = next;
    following.seen?.(state);
  }
  if (following.isLegacy && state.status !== 'cancelled') await fetchResult();
  return state;
}
