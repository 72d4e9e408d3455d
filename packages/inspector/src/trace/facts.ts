import { isObject } from '@tenon/values/is-object';
import type { LineKind, Side, TraceLine } from './line.ts';

/** The kind of a message. `batch`: several in one text. `invalid`: not a valid JSON-RPC message. */
export type MessageKind = 'request' | 'response' | 'notification' | 'batch' | 'invalid';

/**
 * How a request ended. `input`: with questions (2026-07-28). `task`: a task was created, whose result comes later. `pending`: not
 * yet. `cancelled`, `timeout`: the client stopped waiting, even if an answer arrived later. `lost`: no answer can arrive any
 * more.
 */
export type Outcome = 'ok' | 'error' | 'tool-error' | 'input' | 'task' | 'pending' | 'cancelled' | 'timeout' | 'lost';

/** The facts of one line, without its text: enough to list, filter and link it. */
export interface Facts {
  /** The number of the line. */
  readonly n: number;
  /** Milliseconds since the trace began. */
  readonly at: number;
  /** The name of the connection. */
  readonly session: string;
  /** What happened. */
  readonly kind: LineKind;
  /** Who wrote it. Undefined: neither side. */
  readonly from: Side | undefined;
  /** The length of the text, in UTF-16 units. */
  readonly size: number;
  /** The kind of message. Undefined for lines of a kind other than `message`. */
  readonly message: MessageKind | undefined;
  /** The id as JSON, so that 1 and "1" differ. */
  readonly id: string | undefined;
  /** For a response: the method of its request. */
  method: string | undefined;
  /** The target of the method: the name of a tool or a prompt, or a URI. */
  subject: string | undefined;
  /** For a response, the line of its request; for a request, the line of its response. */
  pair: number | undefined;
  /** From the request to its response, in milliseconds; on both lines. For an abandoned request: until it was abandoned. */
  ms: number | undefined;
  /** For requests and responses. */
  outcome: Outcome | undefined;
  /**
   * For a call that was answered with a task: the line with the end of the task, or with its result. The `ms` and `outcome` of
   * the call are then those of the task. For that line: the call.
   */
  task: number | undefined;
  /** For an error: its code. */
  readonly code: number | undefined;
  /**
   * The line that caused this one: as recorded, or as the messages say. For a request that answers questions: the result that
   * asks them.
   */
  cause: number | undefined;
  /** For `http` and `auth`: the status. */
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

/**
 * Returns whether a result creates a task. In 2025-11-25 the task is a member, in the extension of 2026-07-28 the result itself.
 */
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

/** An id as JSON. Arrays and objects are not valid ids, and may be nested too deeply to be serialized. */
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
 * Reads the facts that a line contains. The index adds the facts that follow from other lines. Never throws, whatever the text
 * is.
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
