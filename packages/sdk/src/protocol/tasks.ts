import type { JsonObject } from './jsonrpc.ts';

/** The identifier of the extension for tasks (2026-07-28). In 2025-11-25 tasks are a capability of the core. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The `_meta` key that names the task a message belongs to (2025-11-25). */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** The state of a task. A task that is `completed`, `failed` or `cancelled` never changes again. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Whether a tool runs as a task: it may, it must, or it never does. */
export type TaskSupport = 'optional' | 'required' | 'forbidden';

/** A run of a task. */
export interface TaskOfCall {
  /** The id of the task. It may be a secret: whoever knows it can ask for the result if callers are not authenticated. */
  readonly id: string;
  /** Counts the runs: more than 1 if a task is run again after its process ended. */
  readonly run: number;
}

/** Does the answer to a call say that the call became a task? A result of a tool may have any other member, also one named `task`. */
export function becameTask({ resultType, task, content }: JsonObject): boolean {
  return resultType === 'task' || (task !== undefined && content === undefined);
}
