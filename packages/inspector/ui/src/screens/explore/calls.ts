import type { RequestAnswer, TraceAnswer, TraceRow } from '../../../../src/api/views.ts';
import { linesOfLegs, spentOn } from '../../../../src/trace/legs.ts';
import { memberText } from '../../../../src/values/json-text.ts';
import { api } from '../../store/api.ts';

// Previous calls, loaded from the trace, which remembers more than the page.

/** One call of an item: one request, or several if it answered questions in between (2026-07-28). */
export interface PastCall {
  /** The line of its first request. */
  readonly request: number;
  /** The line of its last answer. */
  readonly response: number | undefined;
  /** For a call that became a task: the line with the end of the task. */
  readonly task?: number | undefined;
  /** The lines of all its requests and answers, in order. */
  readonly lines: readonly number[];
  readonly session: string;
  readonly method: string;
  readonly at: number;
  /** From the first request to the last answer. */
  readonly ms: number | undefined;
  /** The outcome of the last request. */
  readonly outcome: string;
  /** The beginning of the text of the first request. */
  readonly text: string;
}

/** Identifies the calls of an item. */
export interface CallsOf {
  /** The name of the server. */
  readonly server: string;
  /** The method, or a pattern: `tasks/*`. */
  readonly method: string;
  /** The name of the tool or the prompt, the URI, or the id of the task. */
  readonly subject: string;
}

const MAX_ROWS = 100;

/** Quotes a text as a value of a filter. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** The filter of the trace that finds the calls. */
export function filterOf({ server, method, subject }: CallsOf): string {
  return `server:${quoted(server)} from:client message:request method:${method} subject:${quoted(subject)}`;
}

function pastOf(legs: readonly TraceRow[]): PastCall {
  const [first, last] = [legs[0]!, legs.at(-1)!];
  return {
    request: first.n,
    response: last.pair,
    task: last.task,
    lines: [...linesOfLegs(legs), ...(last.task === undefined ? [] : [last.task])],
    session: first.session,
    method: first.method ?? '',
    at: first.at,
    ms: spentOn(legs),
    outcome: last.outcome ?? 'pending',
    text: first.text,
  };
}

/** Groups requests into calls, in order: a request that answers a question continues its call. */
export function callsOf(rows: readonly TraceRow[]): readonly PastCall[] {
  const calls: TraceRow[][] = [];
  /** Calls waiting for an answer to a question, by the line of the question. */
  const asked = new Map<number, TraceRow[]>();
  for (const row of rows) {
    const before = row.cause === undefined ? undefined : asked.get(row.cause);
    const legs = before ?? [];
    if (before === undefined) calls.push(legs);
    legs.push(row);
    if (row.outcome === 'input' && row.pair !== undefined) asked.set(row.pair, legs);
  }
  return calls.map(pastOf);
}

/** The newest calls, newest first. */
export async function loadCalls(of: CallsOf, signal: AbortSignal): Promise<readonly PastCall[]> {
  const filter = filterOf(of);
  const ask = (from: number, count: number): Promise<TraceAnswer> =>
    api.trace({ query: { filter, from, count }, signal });
  const first = await ask(0, MAX_ROWS);
  const last = first.matches > MAX_ROWS ? await ask(first.matches - MAX_ROWS, MAX_ROWS) : first;
  return callsOf(last.rows).toReversed();
}

/** A call without an answer may still be running, and its questions open: only the connected server knows. */
function outcomeOf({ outcome }: PastCall): RequestAnswer['outcome'] {
  if (outcome === 'pending' || outcome === 'input') return 'running';
  return outcome === 'task' ? 'ok' : (outcome as RequestAnswer['outcome']);
}

interface Ending {
  readonly result: string | undefined;
  readonly error: string | undefined;
}

/** The result or the error in an answer. */
function endingIn(text: string): Ending {
  return { result: memberText(text, 'result'), error: memberText(text, 'error') };
}

/** The result of a task. In 2026-07-28 it is in the state of the task, which may also be sent in a notification. */
function endingOfTask(text: string): Ending {
  const answer = memberText(text, 'params') === undefined ? endingIn(text) : { result: memberText(text, 'params') };
  const state = answer.result;
  if (state === undefined || memberText(state, 'taskId') === undefined) return endingIn(text);
  const ending = endingIn(state);
  return ending.result === undefined && ending.error === undefined ? { result: state, error: undefined } : ending;
}

/** A call with its answer and parameters, as in the trace. */
export interface ReadCall {
  readonly answer: RequestAnswer;
  readonly params: string | undefined;
}

/** Loads a call from the trace. Undefined: there is no such line. */
export async function readCall(call: PastCall, signal: AbortSignal): Promise<ReadCall | undefined> {
  const end = call.task ?? call.response;
  const wanted = end === undefined ? [call.request] : [call.request, end];
  const { lines } = await api.lines({ query: { n: wanted }, signal });
  const request = lines.find(({ n }) => n === call.request);
  if (request === undefined) return undefined;
  const text = lines.find(({ n }) => n === end)?.text ?? '';
  const { result, error } = call.task === undefined ? endingIn(text) : endingOfTask(text);
  const size = new TextEncoder().encode(result ?? error ?? '').length;
  return {
    params: memberText(request.text, 'params'),
    answer: {
      outcome: outcomeOf(call),
      request: call.request,
      lines: call.lines,
      response: end,
      ms: call.ms ?? 0,
      bytes: size,
      tokens: Math.ceil((result ?? error ?? '').length / 4),
      result,
      error,
      findings: [],
    },
  };
}
const ARGUMENTS = '"arguments":';

/** The end of the JSON string that begins at `at`; the end of the text if it is cut. */
function afterString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/** The arguments in a request whose text may be cut, without other members such as `_meta`. */
export function argumentsIn(text: string): string {
  const start = text.indexOf(ARGUMENTS) + ARGUMENTS.length;
  if (start < ARGUMENTS.length) return '';
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') at = afterString(text, at) - 1;
    else if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') depth--;
    const isOver = depth < 0 || (depth === 0 && sign === ',');
    if (isOver) return text.slice(start, at);
    if (depth === 0 && (sign === '}' || sign === ']')) return text.slice(start, at + 1);
  }
  return `${text.slice(start)}…`;
}
