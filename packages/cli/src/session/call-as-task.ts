import { setTimeout as delay } from 'node:timers/promises';
import { createdTask, followTask } from '@tenon/values/follow-task';
import { isObject } from '@tenon/values/is-object';
import type { Screen } from '../terminal/screen.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Session } from './session.ts';

/** Whether a tool can be called as a task only. That was a part of 2025-11-25 alone. */
export function isTaskOnly(tool: Readonly<Record<string, unknown>> | undefined, { client }: Session): boolean {
  const execution = tool?.['execution'];
  return client.revision === '2025-11-25' && isObject(execution) && execution['taskSupport'] === 'required';
}

/** How long the result of a task is waited for, in milliseconds: it comes when the task ends. */
const RESULT_MS = 24 * 3_600_000;
/** How long a server may take to answer that a task is cancelled, in milliseconds. */
const CANCEL_MS = 1_000;

/**
 * Calls a tool as a task, and follows the task until it ends. Gives the method whose result is that of the call. A call that is given up takes
 * the task with it.
 */
export async function callAsTask(
  { client, request, call }: Session,
  screen: Screen,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<'tools/call' | 'tasks/get' | 'tasks/result'> {
  const params = { name, arguments: args, task: {} };
  const created = createdTask(await client.request('tools/call', params as never, call));
  if (created === undefined) return 'tools/call';
  const { taskId } = created;
  const { signal } = request;
  let last = '';
  try {
    const { status } = await followTask(created, {
      isLegacy: true,
      async request(method, about, waits) {
        const result = await client.request(method, about, waits ? { signal, timeout: RESULT_MS } : { signal });
        return isObject(result) ? result : {};
      },
      seen({ status: now, statusMessage = '' }) {
        const said = `task ${oneLine(`${now} ${statusMessage}`.trim(), 300)}`;
        if (said !== last) screen.progress(said);
        last = said;
      },
      delay: (ms) => delay(ms, undefined, { signal }),
    });
    return status === 'cancelled' ? 'tasks/get' : 'tasks/result';
  } catch (error) {
    if (signal?.aborted === true)
      await client.request('tasks/cancel', { taskId }, { timeout: CANCEL_MS }).catch(() => undefined);
    throw error;
  }
}
