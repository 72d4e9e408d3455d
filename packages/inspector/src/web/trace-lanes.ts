import type { Lane, LanesAnswer, Span } from '../api/views.ts';
import type { TraceSource } from '../session/contract.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceSessions } from './trace-sessions.ts';
import { TURN_MS, type Turns } from './turns.ts';

/** Which part of the time is asked for, in milliseconds since the trace began. */
export interface LanesQuery {
  readonly from: number;
  /** Undefined: up to the newest line. */
  readonly to: number | undefined;
  readonly buckets: number;
}

const MOST_SPANS = 500;
/** The time is cut into so many parts, and requests are drawn from each: two of each, if all of it is busy. */
const PARTS = MOST_SPANS / 2;
/** Of more, those that are not drawn are let go. */
const MOST_KEPT = 2 * MOST_SPANS;
/** Sessions that have a lane of their own. What else happened is counted in one more. */
const MOST_LANES = 100;
/** How many facts are looked at between two looks at the clock. */
const FACTS_AT_ONCE = 4_096;

interface Counted {
  readonly counts: number[];
  readonly spans: Drawn;
}

/** Some of any number of requests, from all of the time. */
interface Drawn {
  add(facts: Facts, ms: number): void;
  readonly requests: number;
  all(): readonly Facts[];
}

interface Kept {
  readonly facts: Facts;
  readonly ms: number;
  readonly part: number;
}

/** The longest of each part of the time, then the next of each, until there are enough. What is left out once is never wanted again. */
const fairest = (all: readonly Kept[]): readonly Kept[] => {
  const ranks = new Map<number, number>();
  const sorted = all.toSorted((a, b) => b.ms - a.ms || a.facts.n - b.facts.n);
  const ranked = sorted.map((one) => {
    const rank = ranks.get(one.part) ?? 0;
    ranks.set(one.part, rank + 1);
    return { one, rank };
  });
  // Sorting keeps the order of what has the same rank.
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, MOST_SPANS).map(({ one }) => one);
};

const createDrawn = (partOf: (at: number) => number): Drawn => {
  let kept: Kept[] = [];
  let requests = 0;
  return {
    add(facts, ms) {
      requests++;
      kept.push({ facts, ms, part: partOf(facts.at) });
      if (kept.length >= MOST_KEPT) kept = [...fairest(kept)];
    },
    get requests() {
      return requests;
    },
    all: () => (kept.length > MOST_SPANS ? fairest(kept) : kept).map(({ facts }) => facts),
  };
};

const spanOf = ({ n, from, method, subject, at, ms, outcome }: Facts): Span => ({
  n,
  from: from ?? 'client',
  method: method ?? '',
  ...(subject === undefined ? {} : { subject }),
  at,
  ...(ms === undefined ? {} : { ms }),
  outcome: outcome ?? 'pending',
});

/** Counts how much happened when, for each session. */
export const lanesOf = async (
  trace: TraceSource,
  sessions: TraceSessions,
  { from, to: end, buckets }: LanesQuery,
  turns: Turns,
  signal: AbortSignal,
): Promise<LanesAnswer> => {
  const { all } = trace.index;
  const { length } = all;
  const newest = length === 0 ? 0 : all[length - 1]!.at;
  const to = Math.max(from, end ?? newest);
  const width = (to - from) / buckets || 1;
  const counted = new Map<string, Counted>();
  const partOf = (at: number): number => Math.max(0, Math.floor(((at - from) / (to - from || 1)) * PARTS));
  const newLane = (): Counted => ({ counts: Array.from({ length: buckets }, () => 0), spans: createDrawn(partOf) });
  let others: Counted | undefined;
  const otherSessions = new Set<string>();

  const laneOf = (session: string): Counted => {
    const known = counted.get(session);
    if (known !== undefined) return known;
    if (counted.size >= MOST_LANES) {
      otherSessions.add(session);
      return (others ??= newLane());
    }
    const lane = newLane();
    counted.set(session, lane);
    return lane;
  };

  const count = (facts: Facts): void => {
    const { at, session, message, ms } = facts;
    // What is not answered has lasted until now.
    const lasted = message === 'request' ? (ms ?? newest - at) : 0;
    if (at > to || at + lasted < from) return;
    const { counts, spans } = laneOf(session);
    if (at >= from) counts[Math.min(buckets - 1, Math.floor((at - from) / width))]!++;
    if (message === 'request') spans.add(facts, lasted);
  };

  for (let i = 0; i < length;) {
    await turns.next();
    signal.throwIfAborted();
    const deadline = performance.now() + TURN_MS;
    while (i < length && performance.now() < deadline)
      for (const stop = Math.min(length, i + FACTS_AT_ONCE); i < stop; i++) count(all[i]!);
  }

  const laneView = (session: string, name: string, { counts, spans }: Counted): Lane => ({
    session,
    name,
    counts,
    spans: spans.all().map(spanOf),
    requests: spans.requests,
  });
  sessions.update();
  const lanes = [...counted].map(([session, lane]) => laneView(session, sessions.nameOf(session) ?? session, lane));
  if (others !== undefined) lanes.push(laneView('', `${otherSessions.size} more sessions`, others));
  return { from, to, lanes };
};
