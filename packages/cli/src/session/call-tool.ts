import { setTimeout as delay } from 'node:timers/promises';
import { withoutUndefined } from '@tenon/values/without-undefined';
import type { Task, TaskState } from 'tenon/client';
import type { Screen } from '../terminal/screen.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Session } from './session.ts';

/** How long a server may take to confirm the cancellation of a task, in milliseconds. */
const CANCEL_MS = 1_000;

/** Shows each new state of a task. */
function statesShown(screen: Screen): (state: TaskState) => void {
  let last = '';
  return ({ status, message = '' }) => {
    const said = `task ${oneLine(`${status} ${message}`.trim(), 300)}`;
    if (said !== last) screen.progress(said);
    last = said;
  };
}

/** Waits until a task has ended. Rejects like `result` of the task. */
export function waitForTask(task: Task, { request }: Session, screen: Screen): Promise<unknown> {
  return task.result(withoutUndefined({ signal: request.signal, onState: statesShown(screen) }));
}

/**
 * Calls a tool, and waits for its result if the server runs the call as a task. Returns the task, if there is one. An aborted call cancels
 * its task.
 */
export async function callTool(
  session: Session,
  screen: Screen,
  name: string,
  args: Readonly<Record<string, unknown>>,
  created: (task: Task) => void,
): Promise<void> {
  const task = await session.client.start(name, args, session.call);
  created(task);
  try {
    await waitForTask(task, session, screen);
  } catch (error) {
    if (session.request.signal?.aborted === true && task.id !== undefined)
      await Promise.race([task.cancel().catch(() => {}), delay(CANCEL_MS, undefined, { ref: false })]);
    throw error;
  }
}
