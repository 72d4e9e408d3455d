import { ROUTES } from '../../../../src/api/routes.ts';
import type { LinesAnswer, RequestAnswer, TraceAnswer, TraceRow } from '../../../../src/api/views.ts';
import { memberText } from '../../../../src/values/json-text.ts';
import { get } from '../../store/api.ts';

// Calls that were made before, read from the trace: what a page forgets, the trace still has.

/** One call of an item. */
export interface PastCall {
  /** The line of the request. */
  readonly request: number;
  /** The line of its answer. */
  readonly response: number | undefined;
  readonly method: string;
  readonly at: number;
  readonly ms: number | undefined;
  readonly outcome: string;
  /** How the request begins. */
  readonly text: string;
}

/** Which calls belong together. */
export interface CallsOf {
  /** The name of the server. */
  readonly server: string;
  /** Or a pattern: `tasks/*`. */
  readonly method: string;
  /** The name of the tool or the prompt, the URI, the id of the task. */
  readonly subject: string;
}

const MOST = 100;

const quoted = (text: string): string => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;

/** The filter of the trace that finds them. */
export const filterOf = ({ server, method, subject }: CallsOf): string =>
  `server:${quoted(server)} from:client message:request method:${method} subject:${quoted(subject)}`;

const pastOf = ({ n, pair, method, at, ms, outcome, text }: TraceRow): PastCall => ({
  request: n,
  response: pair,
  method: method ?? '',
  at,
  ms,
  outcome: outcome ?? 'pending',
  text,
});

/** The newest calls, newest first. */
export const loadCalls = async (of: CallsOf, signal: AbortSignal): Promise<readonly PastCall[]> => {
  const filter = filterOf(of);
  const ask = (from: number, count: number): Promise<TraceAnswer> =>
    get<TraceAnswer>(ROUTES.trace, { query: { filter, from, count }, signal });
  const first = await ask(0, MOST);
  const last = first.matches > MOST ? await ask(first.matches - MOST, MOST) : first;
  return last.rows.map(pastOf).reverse();
};

const OUTCOMES = new Set<string>(['ok', 'error', 'tool-error', 'cancelled']);

/** What came of a call, and what it was called with, both as they stand in the trace. */
export interface ReadCall {
  readonly answer: RequestAnswer;
  readonly params: string | undefined;
}

/** Reads a call out of the trace. Undefined: there is no such line. */
export const readCall = async (call: PastCall, signal: AbortSignal): Promise<ReadCall | undefined> => {
  const wanted = call.response === undefined ? `${call.request}` : `${call.request},${call.response}`;
  const { lines } = await get<LinesAnswer>(ROUTES.lines, { query: { n: wanted }, signal });
  const request = lines.find(({ n }) => n === call.request);
  if (request === undefined) return undefined;
  const text = lines.find(({ n }) => n === call.response)?.text;
  const result = text === undefined ? undefined : memberText(text, 'result');
  const error = text === undefined ? undefined : memberText(text, 'error');
  const size = new TextEncoder().encode(result ?? error ?? '').length;
  return {
    params: memberText(request.text, 'params'),
    answer: {
      outcome: OUTCOMES.has(call.outcome) ? (call.outcome as RequestAnswer['outcome']) : 'lost',
      request: call.request,
      ...(call.response === undefined ? {} : { response: call.response }),
      ms: call.ms ?? 0,
      bytes: size,
      tokens: Math.ceil((result ?? error ?? '').length / 4),
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
      findings: [],
    },
  };
};
