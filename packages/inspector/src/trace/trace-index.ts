import { type Facts, factsOf, idText, type Outcome, valueOf } from './facts.ts';
import type { Side, TraceLine } from './line.ts';
import { createRounds } from './rounds.ts';
import { createTasks } from './tasks.ts';

/** The facts of a trace in order, linked: which line answers which, and how long it took. */
export interface TraceIndex {
  /** Adds the next line. Returns its facts. */
  add(line: TraceLine): Facts;
  /** The facts of a line, by its number; undefined if there is no such line. */
  at(n: number): Facts | undefined;
  /** The number of lines. */
  readonly length: number;
  /** The facts of all lines, in order. */
  readonly all: readonly Facts[];
}

const OTHER: Readonly<Record<Side, Side>> = { client: 'server', server: 'client' };

/** The most requests kept that wait for an answer. */
const MAX_OPEN = 100_000;

/** Notes of a recorder about a request, which is their cause: the client no longer waits, although no message says so. */
export const GIVEN_UP = 'The client gave up the call';
export const NO_ANSWER = 'Nothing is left that an answer could come by';
const NOTES: ReadonlyMap<string, Outcome> = new Map([
  [GIVEN_UP, 'cancelled'],
  [NO_ANSWER, 'lost'],
]);

/** The texts at the end of an HTTP exchange that the client abandoned, from a client and from a tap. */
const LEFT: ReadonlySet<string> = new Set(['left before the end', 'the client left before all was said']);

/** Outcomes that a late answer does not change. */
const OVER: ReadonlySet<Outcome | undefined> = new Set(['cancelled', 'timeout', 'lost']);

/** The requester no longer waits, so the request ends here. */
function giveUp(request: Facts, outcome: Outcome, at: number): void {
  if (!OVER.has(request.outcome)) request.ms = at - request.at;
  request.outcome = outcome;
}

/**
 * Creates an empty index. Facts that it has returned change when later lines add to them: a request gets its outcome with its
 * answer.
 *
 * @example
 * ```ts
 * import { createTraceIndex, openTrace } from '@tenon/inspector/trace';
 *
 * const trace = await openTrace('weather.mcptrace');
 * const index = createTraceIndex();
 * for (const line of trace.read(1, 100)) index.add(line);
 * const slow = index.all.filter(({ message, ms = 0 }) => message === 'request' && ms > 1_000);
 * ```
 */
export function createTraceIndex(): TraceIndex {
  const all: Facts[] = [];
  const open = new Map<string, Facts>();
  const rounds = createRounds();
  const tasks = createTasks();
  const keyOf = (session: string, from: Side, id: string): string => `${session}\n${from}\n${id}`;

  const asked = (facts: Facts, line: TraceLine): void => {
    // More precise than the HTTP exchange, which is the recorded cause.
    if (facts.from === 'client') facts.cause = rounds.before(facts, line) ?? facts.cause;
    if (facts.from === undefined || facts.id === undefined || open.size >= MAX_OPEN) return;
    // If an id is used twice, the first request keeps it, so that the second does not get its answer.
    const key = keyOf(facts.session, facts.from, facts.id);
    if (!open.has(key)) open.set(key, facts);
  };

  const answered = (facts: Facts, line: TraceLine): void => {
    if (facts.from === undefined || facts.id === undefined) return;
    const key = keyOf(facts.session, OTHER[facts.from], facts.id);
    const request = open.get(key);
    if (request === undefined) return;
    open.delete(key);
    facts.pair = request.n;
    facts.cause ??= request.n;
    facts.method = request.method;
    facts.subject ??= request.subject;
    facts.ms = facts.at - request.at;
    request.pair = facts.n;
    // A late answer is linked, but does not change how the request ended.
    if (OVER.has(request.outcome)) return;
    request.ms = facts.ms;
    request.outcome = facts.outcome;
    if (facts.outcome === 'input' && facts.from === 'server') rounds.asked(facts, line);
    if (facts.outcome === 'task' && facts.from === 'server') tasks.made(request, line);
    if (request.method?.startsWith('tasks/') === true) tasks.addLine(facts, line);
  };

  /** A notification about a request: a cancellation names it by its id. */
  const notified = (facts: Facts, line: TraceLine): void => {
    if (facts.method?.startsWith('notifications/tasks') === true) tasks.addLine(facts, line);
    if (facts.method !== 'notifications/cancelled' || facts.from === undefined) return;
    const { params } = (valueOf(line) ?? {}) as { params?: { requestId?: unknown } };
    const key = keyOf(facts.session, facts.from, idText(params?.requestId) ?? '');
    const request = open.get(key);
    if (request === undefined) return;
    facts.cause ??= request.n;
    facts.subject ??= request.method;
    giveUp(request, 'cancelled', facts.at);
  };

  /** A line that is not a message can also end a request. */
  const happened = ({ kind, at, cause = 0 }: Facts, { text, http }: TraceLine): void => {
    const found = all[cause - 1];
    if (found === undefined) return;
    if (http?.part === 'end' && LEFT.has(text)) {
      const request = all[(found.cause ?? 0) - 1];
      if (request?.message === 'request' && request.outcome === 'pending') giveUp(request, 'cancelled', at);
      return;
    }
    const outcome = kind === 'timer' ? 'timeout' : kind === 'note' ? NOTES.get(text) : undefined;
    if (outcome !== undefined && found.message === 'request') giveUp(found, outcome, at);
  };

  return {
    add(line) {
      const facts = factsOf(line);
      all.push(facts);
      if (facts.message === 'request') asked(facts, line);
      else if (facts.message === 'response') answered(facts, line);
      else if (facts.message === 'notification') notified(facts, line);
      else if (facts.message === undefined) happened(facts, line);
      return facts;
    },
    at: (n) => all[n - 1],
    get length() {
      return all.length;
    },
    all,
  };
}
