import { isObject } from '@tenon/values/is-object';
import type { LineKind, Side, TraceLine } from './line.ts';

/** What kind of message a text is. `batch`: several in one. `invalid`: JSON-RPC in name only. */
export type MessageKind = 'request' | 'response' | 'notification' | 'batch' | 'invalid';

/**
 * How a request ended. `input`: with questions (2026-07-28). `task`: a task was made, of which the result is to come. `pending`: not yet.
 * `cancelled`, `timeout`: the client did not want to wait, whatever came late. `lost`: no answer can come any more.
 */
export type Outcome = 'ok' | 'error' | 'tool-error' | 'input' | 'task' | 'pending' | 'cancelled' | 'timeout' | 'lost';

/** What one line says, without its text: enough to list, filter and link it. */
export interface Facts {
  /** The number of the line. */
  readonly n: number;
  /** Milliseconds since the trace began. */
  readonly at: number;
  /** The name of the connection. */
  readonly session: string;
  /** What happened. */
  readonly kind: LineKind;
  /** Who wrote it; undefined where it was neither. */
  readonly from: Side | undefined;
  /** Of the text, in UTF-16 units. */
  readonly size: number;
  /** What kind of message it is; undefined for lines of another kind than `message`. */
  readonly message: MessageKind | undefined;
  /** The id as JSON, so that 1 and "1" differ. */
  readonly id: string | undefined;
  /** Of a response: the method of its request. */
  method: string | undefined;
  /** What the method is about: the name of a tool or a prompt, a URI. */
  subject: string | undefined;
  /** Of a response the line of its request, of a request that of its response. */
  pair: number | undefined;
  /** From the request to its response, in milliseconds; on both lines. Of a request that was given up: until then. */
  ms: number | undefined;
  /** Of requests and responses. */
  outcome: Outcome | undefined;
  /**
   * Of a call that was answered with a task: the line that says how the task ended, or has its result. Its `ms` and `outcome` are then those
   * of the task. Of that line: the call.
   */
  task: number | undefined;
  /** Of an error: its code. */
  readonly code: number | undefined;
  /** The line that brought this one about: as recorded, or as the messages say. Of a request that answers questions: what asks them. */
  cause: number | undefined;
  /** Of `http` and `auth`: the status. */
  readonly status: number | undefined;
}

type Json = Record<string, unknown>;

function kindOf(value: unknown): MessageKind {
  if (Array.isArray(value)) return 'batch';
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return 'invalid';
  const answers = Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
  if (typeof value['method'] === 'string')
    return answers ? 'invalid' : Object.hasOwn(value, 'id') ? 'request' : 'notification';
  return answers && Object.hasOwn(value, 'id') ? 'response' : 'invalid';
}

function subjectOf(value: Json): string | undefined {
  const { params } = value;
  if (!isObject(params)) return undefined;
  for (const key of ['name', 'uri', 'taskId']) if (typeof params[key] === 'string') return params[key];
  const { ref } = params;
  if (isObject(ref)) return String(ref['name'] ?? ref['uri'] ?? '') || undefined;
  return undefined;
}

/** Does a result say that a task was made? In 2025-11-25 it is a member, in the extension of 2026-07-28 the result itself. */
function isTask({ resultType, task }: Json): boolean {
  return resultType === 'task' || (isObject(task) && typeof task['taskId'] === 'string');
}

function outcomeOf(value: Json): Outcome {
  if (Object.hasOwn(value, 'error')) return 'error';
  const { result } = value;
  if (!isObject(result)) return 'ok';
  if (result['resultType'] === 'input_required') return 'input';
  if (isTask(result)) return 'task';
  return result['isError'] === true ? 'tool-error' : 'ok';
}

/** An id as JSON. Lists and objects are not ids, and may be nested too deeply to be written. */
export function idText(id: unknown): string | undefined {
  return typeof id === 'object' && id !== null ? undefined : JSON.stringify(id);
}

/** The message of a line, parsed; undefined if it is not even JSON. */
export function valueOf(line: Pick<TraceLine, 'kind' | 'text'>): unknown {
  if (line.kind !== 'message') return undefined;
  try {
    return JSON.parse(line.text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Reads the facts that a line contains. The index adds those that follow from other lines. Never throws: a text may be anything.
 *
 * @example
 * ```ts
 * import { factsOf } from '@tenon/inspector/trace';
 *
 * const text = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
 * const { message, method } = factsOf({ n: 1, at: 0, session: 'weather', kind: 'message', from: 'client', text });
 * ```
 */
export function factsOf(line: TraceLine): Facts {
  const value = valueOf(line);
  const message = line.kind === 'message' ? kindOf(value) : undefined;
  const body = isObject(value) ? value : {};
  const error = isObject(body['error']) ? body['error'] : undefined;
  return {
    n: line.n,
    at: line.at,
    session: line.session,
    kind: line.kind,
    from: line.from,
    size: line.text.length,
    message,
    id: Object.hasOwn(body, 'id') ? idText(body['id']) : undefined,
    method: typeof body['method'] === 'string' ? body['method'] : line.http?.method,
    subject: message === undefined ? line.http?.step : subjectOf(body),
    pair: undefined,
    ms: undefined,
    outcome: message === 'response' ? outcomeOf(body) : message === 'request' ? 'pending' : undefined,
    code: typeof error?.['code'] === 'number' ? error['code'] : undefined,
    task: undefined,
    cause: line.cause,
    status: line.http?.status,
  };
}
