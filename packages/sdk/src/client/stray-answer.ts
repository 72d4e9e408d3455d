import { PeerError } from '../protocol/errors.ts';
import type { JsonObject, RequestId, Response } from '../protocol/jsonrpc.ts';
import { shown } from '../protocol/text.ts';
import type { Report } from './report.ts';
import { createdTask } from './tasks/task-state.ts';

/** Sends a request in the negotiated revision. */
export type SendRaw = (method: string, params: JsonObject, options: { readonly takesTasks: true }) => Promise<unknown>;

/** The pending requests of a connection, and how one of them fails. */
export interface Waiting {
  readonly table: { get(id: RequestId): { readonly method: string } | undefined };
  fail(id: RequestId, error: Error): void;
}

/** Rejects the request that was meant, if the server made its id a text: no other answer will follow. */
function failRetyped(id: unknown, { table, fail }: Waiting): boolean {
  const meant = typeof id === 'string' ? Number(id) : NaN;
  const method = table.get(meant)?.method;
  if (method === undefined) return false;
  const message = `The server answered ${method} with the id ${shown(JSON.stringify(id), 100)}, but the request has ${meant}: it must send back the number`;
  fail(meant, new PeerError('invalid-answer', message));
  return true;
}

/**
 * Handles an answer to a request that is not pending. If its id is that of a pending request as text, that request fails; any other answer is
 * ignored. If an abandoned call became a task, the task is cancelled, because the program does not know its handle. `otherIds` and the numbers
 * below `next` were ids of requests.
 */
export function takeStray(
  { id, result }: Response,
  otherIds: ReadonlySet<RequestId>,
  next: number,
  send: SendRaw | undefined,
  report: Report,
  waiting: Waiting,
): void {
  if (failRetyped(id, waiting)) return undefined;
  const ours = typeof id === 'string' ? otherIds.has(id) : Number.isInteger(id) && id! > 0 && id! < next;
  if (!ours) {
    const what = `An answer to an unknown request (id ${shown(JSON.stringify(id))})`;
    return report('warn', 'stray-reply', `${what} is ignored`);
  }
  report('info', 'late-reply', `A late answer to request ${id} is ignored`);
  const taskId = createdTask(result)?.id;
  if (taskId === undefined || send === undefined) return undefined;
  const failed = (error: unknown): void => report('info', 'task-not-cancelled', 'A task could not be cancelled', error);
  send('tasks/cancel', { taskId }, { takesTasks: true }).catch(failed);
  return undefined;
}
