// Requests about tasks in the form of either era.
import assert from 'node:assert/strict';
import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';
import { type Cell, legacy, type Message } from './cells.ts';
import { tasks } from './fixtures/tasks.ts';
import type { Raw } from './raw.ts';

export const EXTENSION = 'io.modelcontextprotocol/tasks';
export const RELATED = 'io.modelcontextprotocol/related-task';

/** The revisions that have tasks. */
export function hasTasks({ revision }: Cell): boolean {
  return revision === '2025-11-25' || revision === '2026-07-28';
}

/** A client that accepts tasks and questions. */
export const TAKES_TASKS = { elicitation: {}, extensions: { [EXTENSION]: {} } };

export const setup = { fixture: tasks, only: hasTasks, capabilities: TAKES_TASKS };

/** A task as any revision shows it. */
export interface Shown {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly result?: Record<string, any>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
  readonly inputRequests?: Record<string, { readonly method: string; readonly params: any }>;
  readonly [member: string]: unknown;
}

/** Calls a tool so that the call becomes a task, and returns the whole response. */
export function callAsTask(
  raw: Raw,
  name: string,
  args: object = {},
  task: object = {},
  meta?: Record<string, unknown>,
): Promise<Message> {
  const params = { name, arguments: args, ...(legacy(raw.cell) ? { task } : {}) };
  return raw.request('tools/call', params, meta === undefined ? {} : { meta });
}

/** The task in a response that created one. */
export function createdIn(message: Message): Shown {
  const { result } = message;
  const created = result?.['resultType'] === 'task' ? result : result?.['task'];
  assert.equal(typeof created?.['taskId'], 'string', JSON.stringify(message));
  return created as Shown;
}

/** Calls a tool as a task. */
export async function start(raw: Raw, name: string, args?: object, task?: object): Promise<Shown> {
  return createdIn(await callAsTask(raw, name, args, task));
}

/** The state of a task now. */
export async function get(raw: Raw, { taskId }: Pick<Shown, 'taskId'>): Promise<Shown> {
  const message = await raw.request('tasks/get', { taskId });
  assert.ok(message.result, JSON.stringify(message));
  return message.result as Shown;
}

/** Polls a task until it has a status. */
export async function getWhen(raw: Raw, task: Pick<Shown, 'taskId'>, ...statuses: string[]): Promise<Shown> {
  for (const end = Date.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, 2))) {
    const shown = await get(raw, task);
    if (statuses.includes(shown.status)) return shown;
    assert.ok(Date.now() < end, `the task did not become ${statuses.join()}: ${JSON.stringify(shown)}`);
  }
}

/** The outcome of a task, in the form of the response to its call. */
export async function outcome(raw: Raw, task: Pick<Shown, 'taskId'>): Promise<Message> {
  if (legacy(raw.cell)) return raw.request('tasks/result', { taskId: task.taskId });
  const { result, error } = await getWhen(raw, task, 'completed', 'failed', 'cancelled');
  return { ...(result && { result }), ...(error && { error }) };
}

/** The text of a result. */
export function textOf({ result, error }: Message): string {
  assert.ok(result, JSON.stringify(error));
  return result['content'][0].text as string;
}

export async function open(raw: Raw, gate: string): Promise<void> {
  await raw.request('tools/call', { name: 'open', arguments: { gate } }, { capabilities: {} });
}

export async function counted(raw: Raw, name: string): Promise<string> {
  return textOf(await raw.request('tools/call', { name: 'counted', arguments: { name } }));
}

/** Answers a question of a task: in 2025-11-25 it arrives as a request while the client waits for the result. */
export async function answer(raw: Raw, task: Shown, answers: Record<string, object>): Promise<void> {
  if (!legacy(raw.cell)) {
    const { result } = await raw.request('tasks/update', { taskId: task.taskId, inputResponses: answers });
    assert.equal(result?.['resultType'], 'complete');
    return;
  }
  for (let left = Object.keys(answers).length; left > 0; left--) {
    const question = await raw.nextOf('elicitation/create');
    const meta = question.params!['_meta'];
    assert.deepEqual(meta[RELATED], { taskId: task.taskId });
    const name = Object.entries(meta).find(([key]) => key.endsWith('/question'))?.[1] as string;
    raw.send({ jsonrpc: '2.0', id: question.id, result: answers[name] ?? assert.fail(`${name} was asked`) });
  }
}
