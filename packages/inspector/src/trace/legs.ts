import type { Facts } from './facts.ts';
import type { TraceIndex } from './trace-index.ts';

/** The requests of one call: the first, and those that answer the questions of a result (2026-07-28). */
export function legsOf(index: Pick<TraceIndex, 'all'>, first: Facts): readonly Facts[] {
  const legs = [first];
  for (let last = first; last.pair !== undefined && index.all[last.pair - 1]?.outcome === 'input';) {
    const { pair } = last;
    const next = index.all.find(({ n, cause, message }) => n > pair && cause === pair && message === 'request');
    if (next === undefined) break;
    legs.push((last = next));
  }
  return legs;
}

/**
 * From the first request to the end of the last. Undefined: it has not ended. For a single request, its own `ms`, exact to the
 * microsecond.
 */
export function spentOn(legs: readonly Pick<Facts, 'at' | 'ms'>[]): number | undefined {
  const [first, last] = [legs[0], legs.at(-1)];
  if (first === undefined || last?.ms === undefined) return undefined;
  return legs.length === 1 ? last.ms : Math.round((last.at + last.ms - first.at) * 1000) / 1000;
}

/** The lines of requests and their answers, in order. */
export function linesOfLegs(legs: readonly Pick<Facts, 'n' | 'pair'>[]): readonly number[] {
  return legs.flatMap(({ n, pair }) => (pair === undefined ? [n] : [n, pair]));
}
