import { CODE, ProtocolError, TimeoutError } from '../../protocol/errors.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { metaOf, TENON } from '../../protocol/meta.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { isUnavailable, refuseWhereUnavailable, repeatWhileUnavailable } from '../../store/unavailable.ts';
import { RELATED_TASK } from '../../protocol/tasks.ts';
import type { Engine, RawResult } from '../engine.ts';
import { stringParam } from '../methods/params.ts';
import { missingAbility } from '../ask/question.ts';
import { requireTasks } from './declared.ts';
import { encodeDetailedTask, encodeTask } from './encode-task.ts';
import { nextChange } from './task-changes.ts';
import { hasEnded, nameOf, own, type TaskAnswer, type TaskQuestion } from './task-record.ts';
import { type StoredTask, type Tasks, tasksOf } from './tasks.ts';

/** The task that a request names. The error is the same whether the task is unknown, expired, malformed, or belongs to another caller. */
async function findTask(engine: Engine, params: JsonObject, request: RequestContext): Promise<StoredTask> {
  requireTasks(request);
  const id = stringParam(params, 'taskId');
  const task = await tasksOf(engine).find(id, request);
  if (task === undefined) throw new ProtocolError(CODE.invalidParams, `There is no task ${shown(id, 80)}`);
  return task;
}

/** The same, for a request that is refused while the store is unavailable. */
async function taskOf(engine: Engine, params: JsonObject, request: RequestContext): Promise<StoredTask> {
  return refuseWhereUnavailable(() => findTask(engine, params, request));
}

/** `tasks/get`. */
export async function getTask(engine: Engine, params: JsonObject, request: RequestContext): Promise<RawResult> {
  const task = await taskOf(engine, params, request);
  const encode = featuresOf(request.revision).coreTasks ? encodeTask : encodeDetailedTask;
  return { result: encode(task, request.revision) };
}

/** `tasks/cancel`. A task that has ended stays as it is: an error in 2025-11-25, a normal response in 2026-07-28. */
export async function cancelTask(engine: Engine, params: JsonObject, request: RequestContext): Promise<RawResult> {
  const found = await taskOf(engine, params, request);
  const { task, done } = await refuseWhereUnavailable(() => tasksOf(engine).cancel(found));
  if (!featuresOf(request.revision).coreTasks) return { result: {} };
  if (!done) throw new ProtocolError(CODE.invalidParams, 'The task has already ended');
  return { result: encodeTask(task, request.revision) };
}

/** `tasks/update` (2026-07-28): accepts answers to open questions. Answers to unknown or answered questions are ignored. */
export async function updateTask(engine: Engine, params: JsonObject, request: RequestContext): Promise<RawResult> {
  const { address } = await taskOf(engine, params, request);
  const { inputResponses } = params;
  if (!isObject(inputResponses)) throw new ProtocolError(CODE.invalidParams, '"inputResponses" must be an object');
  const answers = new Map<string, TaskAnswer>();
  for (const [key, result] of Object.entries(inputResponses)) if (isObject(result)) answers.set(key, { result });
  await refuseWhereUnavailable(() => takeAnswers(tasksOf(engine), address, answers));
  return { result: {} };
}

async function takeAnswers(
  tasks: Tasks,
  address: StoredTask['address'],
  given: ReadonlyMap<string, TaskAnswer>,
): Promise<void> {
  await tasks.change(address, (record) => {
    const wanted = [...given].filter(([key]) => own(record.questions, key) !== undefined);
    if (hasEnded(record) || wanted.length === 0) return undefined;
    const questions = Object.fromEntries(Object.entries(record.questions).filter(([key]) => !given.has(key)));
    return { ...record, questions, answers: { ...record.answers, ...Object.fromEntries(wanted) } };
  });
}

/** `tasks/list` (2025-11-25). Only for authenticated callers: for others it is unknown which tasks are theirs. */
export async function listTasks(engine: Engine, params: JsonObject, request: RequestContext): Promise<RawResult> {
  const { principal, revision } = request;
  if (principal === undefined)
    throw new ProtocolError(CODE.methodNotFound, 'Method not found: tasks/list is for authenticated clients only');
  const context = JSON.stringify(['tasks', principal.id]);
  const { cursor } = params;
  const after = cursor === undefined ? undefined : await engine.sealer.open(cursor, context);
  if (cursor !== undefined && typeof after !== 'string')
    throw new ProtocolError(CODE.invalidParams, 'The cursor is not valid, or has expired. Start the list again.');
  const limit = Math.min(engine.pageSize, MAX_PAGE);
  const list = () => tasksOf(engine).list(request, after as string | undefined, limit + 1);
  const found = await refuseWhereUnavailable(list);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)!.address.id : undefined;
  const nextCursor = last === undefined ? undefined : await engine.sealer.seal(last, context, engine.limits.cacheMs);
  return { result: { tasks: page.map((task) => encodeTask(task, revision)), nextCursor } };
}

const MAX_PAGE = 100;

/**
 * `tasks/result` (2025-11-25): waits until the task has ended, and answers as its call would have been answered. Meanwhile it asks the
 * client the questions of the task, whichever process runs it.
 */
export async function taskResult(engine: Engine, params: JsonObject, request: RequestContext): Promise<RawResult> {
  const tasks = tasksOf(engine);
  const asked = new Set<string>();
  const read = () => findTask(engine, params, request);
  for (let isFirst = true; ; isFirst = false) {
    const next = nextChange(String(params['taskId']), request.signal);
    try {
      // While it waits for the task, it waits for the store, too.
      const task = await (isFirst ? refuseWhereUnavailable(read) : repeatWhileUnavailable(read, request.signal));
      if (hasEnded(task.record)) return resultOf(task);
      for (const [key, question] of Object.entries(task.record.questions)) {
        if (asked.has(key)) continue;
        asked.add(key);
        // A client that did not answer in time is asked again for as long as it waits.
        void askClient(tasks, task, key, question, request).then((late) => late && asked.delete(key));
      }
      await next.wait();
      if (request.cancelled) throw request.signal.reason;
    } finally {
      next.stop();
    }
  }
}

/**
 * The questions that are with a client now, by its session: a client may wait for one task with several requests. A client that lost its
 * session is asked again in the next one, even if the end of the old one has not been noticed yet.
 */
const ASKED = new WeakMap<object, Set<string>>();

/**
 * Asks the client. If its request ends first, or the connection does, the question stays open for the next request that waits for the task.
 * Resolves with whether the client timed out.
 */
async function askClient(
  tasks: Tasks,
  { address }: StoredTask,
  key: string,
  { method, params }: TaskQuestion,
  request: RequestContext,
): Promise<boolean> {
  const { session, sendRequest } = request;
  if (session === undefined || sendRequest === undefined || !canBeAsked(request, method, params)) return false;
  const mark = `${address.id} ${key}`;
  const asked = ASKED.get(session) ?? new Set();
  if (asked.has(mark)) return false;
  ASKED.set(session, asked.add(mark));
  const meta = { ...metaOf(params), [TENON.question]: nameOf(key), [RELATED_TASK]: { taskId: address.id } };
  const ask = async (): Promise<TaskAnswer> => {
    try {
      return { result: await sendRequest(method, { ...params, _meta: meta }) };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, data } };
    }
  };
  try {
    const answers = new Map([[key, await ask()]]);
    // The client has answered: it is not asked again, even if its request ends.
    await repeatWhileUnavailable(() => takeAnswers(tasks, address, answers), NEVER, ANSWER_MS);
    return false;
  } catch (error) {
    return error instanceof TimeoutError || isUnavailable(error);
  } finally {
    asked.delete(mark);
  }
}

const NEVER = new AbortController().signal;
/** How long an answer waits for a store that is unavailable, in milliseconds. */
const ANSWER_MS = 600_000;

/** Did this client declare what a question needs? The client that waits for the task need not be the one that made the call. */
function canBeAsked({ capabilities }: RequestContext, method: string, params: JsonObject): boolean {
  return missingAbility(capabilities, method, params) === undefined;
}

function resultOf({ address, record }: StoredTask): RawResult {
  const { outcome } = record;
  if (outcome === undefined) throw new ProtocolError(CODE.internalError, 'The task was cancelled: it has no result');
  if ('error' in outcome) throw new ProtocolError(outcome.error.code, outcome.error.message, outcome.error.data);
  const { result } = outcome;
  return { result: { ...result, _meta: { ...metaOf(result), [RELATED_TASK]: { taskId: address.id } } } };
}
