import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { CallToolResult, ElicitResult } from '../../protocol/results.ts';
import type { TaskState } from './task-state.ts';

/** A task as it can be stored: plain JSON. */
export interface SavedTask<Name extends string = string> {
  /** The name of the tool. */
  readonly tool: Name;
  /** The id of the task; absent if the server answered the call at once. */
  readonly taskId?: string;
  /** The answer of a server that did not create a task. */
  readonly result?: JsonObject;
}

/** Options of waiting for a task. */
export interface TaskWaitOptions {
  /** Aborting ends the wait with an `AbortError`. The task continues: `cancel` ends it. */
  readonly signal?: AbortSignal;
  /** Receives the state of the task after each poll. */
  readonly onState?: (state: TaskState) => void;
}

/**
 * A call that the server runs as a task. Requests reject with a `ProtocolError` (-32602) once the server no longer knows the task, and
 * otherwise like requests of a client.
 */
export interface Task<Value = unknown, Name extends string = string> {
  /** The id of the task; undefined if the server answered the call at once. */
  readonly id: string | undefined;
  /** The name of the tool. */
  readonly tool: Name;
  /** Asks the server for the state of the task. */
  status(): Promise<TaskState>;
  /**
   * Waits until the task has ended, and returns the whole result, even if the tool failed. Questions go to the handlers of the client, as those
   * of a call do. Rejects with the `ProtocolError` of a task that failed, and with a `ToolError` if it was cancelled.
   */
  result(options?: TaskWaitOptions): Promise<CallToolResult>;
  /** The same, and returns the value of the result as `call` does. Throws a `ToolError` if the tool failed. */
  value(options?: TaskWaitOptions): Promise<Value>;
  /** Asks the server to cancel the task. It may still end in another state. */
  cancel(): Promise<void>;
  /**
   * Answers a question of the task, by its name in `questions` of its state (2026-07-28). For programs that answer later: the handlers of
   * the client are only called while `result` or `value` waits. Rejects with a `ConnectionError` in 2025-11-25.
   */
  answer(name: string, answer: ElicitResult | JsonObject): Promise<void>;
  /** The data that `client.task` needs to continue with this task in another process. */
  toJSON(): SavedTask<Name>;
}
