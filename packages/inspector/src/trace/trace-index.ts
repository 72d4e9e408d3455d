import { type Facts, factsOf, idText, valueOf } from './facts.ts';
import type { Side, TraceLine } from './line.ts';

/** The facts of a trace in order, linked: what answers what, and how long it took. */
export interface TraceIndex {
  /** Takes the next line. Gives its facts. */
  add(line: TraceLine): Facts;
  /** By number. */
  at(n: number): Facts | undefined;
  readonly length: number;
  readonly all: readonly Facts[];
}

const OTHER: Readonly<Record<Side, Side>> = { client: 'server', server: 'client' };

/** Requests that wait for an answer, by session, side and id. More are not remembered. */
const MOST_OPEN = 100_000;

export const createTraceIndex = (): TraceIndex => {
  const all: Facts[] = [];
  const open = new Map<string, Facts>();
  const keyOf = (session: string, from: Side, id: string): string => `${session}\n${from}\n${id}`;

  const asked = (facts: Facts): void => {
    if (facts.from === undefined || facts.id === undefined || open.size >= MOST_OPEN) return;
    // The same id twice: the first stays the one that waits, so that its answer is not given to the second.
    const key = keyOf(facts.session, facts.from, facts.id);
    if (!open.has(key)) open.set(key, facts);
  };

  const answered = (facts: Facts): void => {
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
    request.ms = facts.ms;
    request.outcome = facts.outcome;
  };

  /** A notification about a request: a cancellation names it by its id. */
  const notified = (facts: Facts, line: TraceLine): void => {
    if (facts.method !== 'notifications/cancelled' || facts.from === undefined) return;
    const { params } = (valueOf(line) ?? {}) as { params?: { requestId?: unknown } };
    const key = keyOf(facts.session, facts.from, idText(params?.requestId) ?? '');
    const request = open.get(key);
    if (request === undefined) return;
    facts.cause ??= request.n;
    facts.subject ??= request.method;
    request.outcome = 'cancelled';
  };

  return {
    add(line) {
      const facts = factsOf(line);
      all.push(facts);
      if (facts.message === 'request') asked(facts);
      else if (facts.message === 'response') answered(facts);
      else if (facts.message === 'notification') notified(facts, line);
      return facts;
    },
    at: (n) => all[n - 1],
    get length() {
      return all.length;
    },
    all,
  };
};
