import type { Lane, LanesAnswer, Span } from '../api/views.ts';
import type { TraceSource } from '../session/contract.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceSessions } from './trace-sessions.ts';
import { TURN_MS, type Turns } from './turns.ts';

/** A time range, in milliseconds since the trace began. */
export interface LanesQuery {
  readonly from: number;
  /** Undefined: up to the newest line. */
  readonly to: number | undefined;
  readonly buckets: number;
}

const MAX_SPANS = 500;
/** The range is divided into this many parts, and requests are picked from each: two from each, if all are busy. */
const PARTS = MAX_SPANS / 2;
/** If more requests are kept than this, those that will not be drawn are dropped. */
const MAX_KEPT = 2 * MAX_SPANS;
/** The most sessions with a lane of their own. All others share one more lane. */
const MAX_LANES = 100;
/** The number of facts read between two readings of the clock. */
const FACTS_AT_ONCE = 4_096;

interface Counted {
  readonly counts: number[];
  readonly spans: SpanSample;
}

/** A sample of any number of requests, spread over the whole range. */
interface SpanSample {
  add(facts: Facts, ms: number): void;
  readonly requests: number;
  all(): readonly Facts[];
}

interface SampledRequest {
  readonly facts: Facts;
  readonly ms: number;
  readonly part: number;
}

/**
 * The longest of each part, then the second longest of each, until there are enough. A request that is left out once is never
 * picked later.
 */
function pickSpans(all: readonly SampledRequest[]): readonly SampledRequest[] {
  const ranks = new Map<number, number>();
  const sorted = all.toSorted((a, b) => b.ms - a.ms || a.facts.n - b.facts.n);
  const ranked = sorted.map((one) => {
    const rank = ranks.get(one.part) ?? 0;
    ranks.set(one.part, rank + 1);
    return { one, rank };
  });
  // Sorting is stable, so the order within a rank is kept.
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, MAX_SPANS).map(({ one }) => one);
}

function createSpanSample(partOf: (at: number) => number): SpanSample {
  let kept: SampledRequest[] = [];
  let requests = 0;
  return {
    add(facts, ms) {
      requests++;
      kept.push({ facts, ms, part: partOf(facts.at) });
      if (kept.length >= MAX_KEPT) kept = [...pickSpans(kept)];
    },
    get requests() {
      return requests;
    },
    all: () => (kept.length > MAX_SPANS ? pickSpans(kept) : kept).map(({ facts }) => facts),
  };
}

function spanOf({ n, from, method, subject, at, ms, outcome }: Facts): Span {
  return {
    n,
    from: from ?? 'client',
    method: method ?? '',
    subject,
    at,
    ms,
    outcome: outcome ?? 'pending',
  };
}

/** Counts the lines of each session over time. */
export async function lanesOf(
  trace: TraceSource,
  sessions: TraceSessions,
  { from, to: end, buckets }: LanesQuery,
  turns: Turns,
  signal: AbortSignal,
): Promise<LanesAnswer> {
  const { all } = trace.index;
  const { length } = all;
  const newest = length === 0 ? 0 : all[length - 1]!.at;
  const to = Math.max(from, end ?? newest);
  const width = (to - from) / buckets || 1;
  const counted = new Map<string, Counted>();
  const partOf = (at: number): number => Math.max(0, Math.floor(((at - from) / (to - from || 1)) * PARTS));
  const newLane = (): Counted => ({
    counts: Array.from({ length: buckets }, () => 0),
    spans: createSpanSample(partOf),
  });
  let others: Counted | undefined;
  const otherSessions = new Set<string>();

  const laneOf = (session: string): Counted => {
    const known = counted.get(session);
    if (known !== undefined) return known;
    if (counted.size >= MAX_LANES) {
      otherSessions.add(session);
      return (others ??= newLane());
    }
    const lane = newLane();
    counted.set(session, lane);
    return lane;
  };

  const count = (facts: Facts): void => {
    const { at, session, message, ms } = facts;
    // A request without an answer lasts until now.
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
}
