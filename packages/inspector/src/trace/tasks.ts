import { isTerminal } from 'tenon/internal';
import { isObject } from '@tenon/values/is-object';
import { type Facts, type Outcome, valueOf } from './facts.ts';
import type { TraceLine } from './line.ts';

/** Links the end of a task to the call that created it. */
export interface Tasks {
  /** Takes the answer to a call that creates a task. */
  made(request: Facts, line: TraceLine): void;
  /** Takes a line of the server that may have the state of a task: an answer about it, or a notification. */
  addLine(facts: Facts, line: TraceLine): void;
}

/** The most tasks of a trace that are linked. */
const MAX_TASKS = 10_000;

type Json = Readonly<Record<string, unknown>>;

function memberOf(line: TraceLine, name: 'result' | 'params'): Json {
  const value = valueOf(line);
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

function idIn({ task, taskId }: Json): string | undefined {
  const id = isObject(task) ? task['taskId'] : taskId;
  return typeof id === 'string' ? id : undefined;
}

/** How a task ended. Undefined: it has not. In 2026-07-28 the state contains the result of the call. */
function endOf({ status, result }: Json): Outcome | undefined {
  if (!isTerminal(status)) return undefined;
  if (status === 'cancelled') return 'cancelled';
  if (status === 'failed') return 'error';
  return isObject(result) && result['isError'] === true ? 'tool-error' : 'ok';
}

/** The server does not know the task, or no longer does: that does not say how it ended. */
const UNKNOWN = -32_602;

/** Methods whose results are the state of a task. */
const STATES: ReadonlySet<string | undefined> = new Set([
  'tasks/get',
  'tasks/cancel',
  'notifications/tasks',
  'notifications/tasks/status',
]);

export function createTasks(): Tasks {
  const calls = new Map<string, Facts>();
  const keyOf = (session: string, id: string): string => `${session}\n${id}`;

  const end = (call: Facts, facts: Facts, outcome: Outcome): void => {
    if (call.task === undefined) call.ms = facts.at - call.at;
    call.task = facts.n;
    call.outcome = outcome;
    facts.task = call.n;
  };

  return {
    made(request, line) {
      const id = idIn(memberOf(line, 'result'));
      if (id !== undefined && calls.size < MAX_TASKS) calls.set(keyOf(request.session, id), request);
    },
    addLine(facts, line) {
      const { session, subject = '', method, outcome, code, from } = facts;
      const key = keyOf(session, subject);
      const call = from === 'server' ? calls.get(key) : undefined;
      if (call === undefined || outcome === 'pending') return;
      if (method === 'tasks/result') {
        if (outcome === undefined || (code === UNKNOWN && call.task === undefined)) return;
        end(call, facts, outcome);
        // No later message can add to the result.
        calls.delete(key);
      } else if (STATES.has(method) && call.task === undefined && outcome !== 'error') {
        const ended = endOf(memberOf(line, facts.message === 'notification' ? 'params' : 'result'));
        if (ended !== undefined) end(call, facts, ended);
      }
    },
  };
}
