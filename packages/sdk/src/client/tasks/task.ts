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
  /** Aborting ends the wait with an `AbortError`. The task goes on: `cancel` ends it. */
  readonly signal?: AbortSignal;
  /** Gets the state of the task each time that the server was asked. */
  readonly onState?: (state: TaskState) => void;
}

/**
 * A call that the server runs as a task. Requests reject with a `ProtocolError` (-32602) once the server does not know the task any more,
 * and otherwise as those of a client do.
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
  /** Asks the server to cancel the task. It may end otherwise all the same. */
  cancel(): Promise<void>;
  /**
   * Answers a question of the task, by its name in `questions` of its state (2026-07-28). For programs that ask later than at once: the handlers
   * of the client are asked only while `result` or `value` waits. Rejects with a `ConnectionError` in 2025-11-25.
   */
  answer(name: string, answer: ElicitResult | JsonObject): Promise<void>;
  /** What `client.task` needs to go on with this task in another process. */
  toJSON(): SavedTask<Name>;
}
