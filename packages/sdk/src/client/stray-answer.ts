import type { RequestId, Response } from '../protocol/jsonrpc.ts';
import { shown } from '../protocol/text.ts';
import type { Report } from './report.ts';
import type { Inbound } from './rpc-connection.ts';
import { createdTask } from './tasks/task-state.ts';

/**
 * Ignores an answer for which nobody waits. A call that was given up and has become a task is cancelled: nobody knows its handle. `otherIds`
 * and the numbers below `next` were ids of requests.
 */
export function takeStray(
  { id, result }: Response,
  otherIds: ReadonlySet<RequestId>,
  next: number,
  { raw }: Inbound,
  report: Report,
): void {
  const ours = typeof id === 'string' ? otherIds.has(id) : Number.isInteger(id) && id! > 0 && id! < next;
  if (!ours) {
    const what = `An answer to an unknown request (id ${shown(JSON.stringify(id))})`;
    return report('warn', 'stray-reply', `${what} is ignored`);
  }
  report('info', 'late-reply', `A late answer to request ${id} is ignored`);
  const taskId = createdTask(result)?.id;
  if (taskId === undefined || raw === undefined) return undefined;
  const failed = (error: unknown): void => report('info', 'task-not-cancelled', 'A task could not be cancelled', error);
  raw('tasks/cancel', { taskId }, { takesTasks: true }).catch(failed);
  return undefined;
}
