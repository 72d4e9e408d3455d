import { PeerError } from '../../protocol/errors.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { becameTask } from '../../protocol/tasks.ts';

/** The state of a task, as its server reports it. */
export interface TaskState {
  /** The id of the task. */
  readonly id: string;
  /** A status of the specification, or any other text that the server sends. */
  readonly status: string;
  /** The server's description of the state; undefined if it sends none. */
  readonly message: string | undefined;
  /** How long the server wants the client to wait before it asks again, in milliseconds. */
  readonly pollMs: number;
  /** The open questions of the task, by name (2026-07-28). In 2025-11-25 servers send questions as requests. */
  readonly questions: Readonly<Record<string, TaskQuestion>>;
}

/** A question of a task. */
export interface TaskQuestion {
  /** The method of the question: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
  readonly method: string;
  /** The params of the question. */
  readonly params: JsonObject;
}

/** The default polling interval, in milliseconds. */
const POLL_MS = 1_000;
const MIN_POLL_MS = 50;
const MAX_POLL_MS = 5 * 60_000;

function pollMsOf({ pollInterval, pollIntervalMs }: JsonObject): number {
  const asked = pollIntervalMs ?? pollInterval;
  return typeof asked === 'number' && asked > 0 ? Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, asked)) : POLL_MS;
}

function questionsOf(inputRequests: unknown): TaskState['questions'] {
  if (!isObject(inputRequests)) return {};
  const questions = Object.entries(inputRequests).flatMap(([name, question]): [string, TaskQuestion][] => {
    if (!isObject(question) || typeof question['method'] !== 'string') return [];
    const { method, params } = question;
    return [[name, { method, params: isObject(params) ? params : {} }]];
  });
  return Object.fromEntries(questions);
}

function taskStateOf(task: JsonObject): TaskState | undefined {
  const { taskId, status, statusMessage, inputRequests } = task;
  if (typeof taskId !== 'string' || taskId === '') return undefined;
  return {
    id: taskId,
    status: typeof status === 'string' ? status : 'working',
    message: typeof statusMessage === 'string' ? statusMessage : undefined,
    pollMs: pollMsOf(task),
    questions: questionsOf(inputRequests),
  };
}

/** The state in the answer to a request about this task. Throws a `PeerError` if it is about another task. */
export function stateOfTask(id: string, answer: JsonObject): TaskState {
  const state = taskStateOf(answer);
  if (state?.id !== id) throw new PeerError('invalid-answer', 'The answer to tasks/get is not about this task');
  return state;
}

/** The task in the result of a call that created one; undefined for a result of the tool. */
export function createdTask(result: unknown): TaskState | undefined {
  if (!isObject(result) || !becameTask(result)) return undefined;
  if (result['resultType'] === 'task') return taskStateOf(result);
  return isObject(result['task']) ? taskStateOf(result['task']) : undefined;
}

const TERMINAL: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** Has a task with this status ended? */
export function isTerminal(status: unknown): boolean {
  return TERMINAL.has(status);
}
