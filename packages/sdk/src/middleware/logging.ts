import type { LogEntry } from '../protocol/log.ts';
import type { CallAnswer, Call, CallMiddleware } from '../protocol/middleware.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import { answered, type CallEnd, type Outcome, rejected } from './outcome.ts';

/** The `details` of an entry that `logging` writes. */
export interface LoggedCall {
  /** `server`: the call was received. `client`: it was sent. */
  readonly side: 'server' | 'client';
  /** The method. */
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource, cut to 120 characters. */
  readonly name?: string;
  /** The id of the verified caller. */
  readonly principal?: string;
  /** The number of the run, if the call was a run of a task. */
  readonly taskRun?: number;
  /** How the call ended. */
  readonly outcome: Outcome;
  /** The code of the error, if it was a JSON-RPC error. */
  readonly code?: number;
  /** The duration, in milliseconds. */
  readonly ms: number;
}

/** An entry of the log of calls. */
export interface CallLogEntry extends LogEntry {
  /** Always `call`. */
  readonly event: 'call';
  /** The call and its outcome. */
  readonly details: LoggedCall;
}

/**
 * Logs each call when it has ended: its name, its outcome and its duration. Arguments, results and error messages are never logged, because
 * they may be personal or secret.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { logging } from 'tenon/middleware';
 *
 * const app = server({ name: 'notes' });
 * app.use(logging(({ message }) => console.error(message)));
 * ```
 */
export function logging(log: (entry: CallLogEntry) => void): CallMiddleware {
  if (typeof log !== 'function') throw new TypeError('logging needs a function that takes the entries');
  return async (call, next) => {
    const began = performance.now();
    let answer: CallAnswer;
    try {
      answer = await next();
    } catch (error) {
      write(log, call, rejected(call, error), began);
      throw error;
    }
    write(log, call, answered(call, answer), began);
    return answer;
  };
}

function write(log: (entry: CallLogEntry) => void, call: Call, ended: CallEnd, began: number): void {
  const details = detailsOf(call, ended, performance.now() - began);
  const { method, name, outcome, code, ms, taskRun } = details;
  const what = `${method}${name === undefined ? '' : ` ${name}`}${taskRun === undefined ? '' : ' (task)'}`;
  const how = code === undefined ? outcome : `${outcome} ${code}`;
  try {
    log({ level: levelOf(outcome), event: 'call', message: `${what}: ${how} in ${ms} ms`, details });
  } catch {
    // Logging must not make a call fail.
  }
}

function levelOf(outcome: Outcome): LogEntry['level'] {
  return outcome === 'error' || outcome === 'tool-error' ? 'warn' : 'info';
}

function detailsOf({ side, method, name, principal, task }: Call, ended: CallEnd, ms: number): LoggedCall {
  return withoutUndefined({
    side,
    method: shown(method),
    name: name === undefined ? undefined : shown(name),
    principal: principal?.id,
    taskRun: task?.run,
    ...ended,
    ms: Math.round(ms * 10) / 10,
  }) as LoggedCall;
}
