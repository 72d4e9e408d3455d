import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { rateLimitedLoggerOf } from '../../protocol/rate-limited-logger.ts';
import { refuseWhereUnavailable } from '../../store/unavailable.ts';
import { notificationText } from '../../wire/text.ts';
import type { Engine } from '../engine.ts';
import { requireTasks } from './declared.ts';
import { encodeDetailedTask } from './encode-task.ts';
import { type StoredTask, tasksOf } from './tasks.ts';

/** The requested task ids that belong to this client. Throws for a client that did not declare the extension. */
export async function readTaskIds(engine: Engine, asked: unknown, request: RequestContext): Promise<Set<string>> {
  requireTasks(request);
  if (!Array.isArray(asked) || !asked.every((id) => typeof id === 'string'))
    throw new ProtocolError(CODE.invalidParams, '"notifications.taskIds" must be a list of ids');
  const { subscriptionUris: most } = engine.limits;
  if (asked.length > most)
    throw new ProtocolError(CODE.invalidParams, `A subscription may follow at most ${most} tasks`);
  const found = new Set<string>();
  for (const id of new Set<string>(asked))
    if ((await refuseWhereUnavailable(() => tasksOf(engine).find(id, request))) !== undefined) found.add(id);
  return found;
}

/** The notification of the state of a task, with these additional params; undefined if the task no longer exists, or cannot be read. */
export async function taskNotification(
  engine: Engine,
  id: string,
  params: JsonObject,
  request: Pick<RequestContext, 'principal' | 'revision'>,
): Promise<string | undefined> {
  let task: StoredTask | undefined;
  try {
    task = await tasksOf(engine).find(id, request);
  } catch (error) {
    // Clients poll, too.
    const message = 'A task could not be read to announce its change';
    rateLimitedLoggerOf(engine.log)({ level: 'warn', event: 'tasks-not-read', message, details: error });
  }
  if (task === undefined) return undefined;
  return notificationText('notifications/tasks', { ...params, ...encodeDetailedTask(task, request.revision) });
}
