// What happens when, drawn from a seed. What is planned is counted in exchanges and calls, never in time.

import { seededRandom } from '../../../../scripts/lib/seeded-random.ts';
import type { Fault, Phase } from './fault-proxy.ts';

/** What happens to the server, or to everything that is sent to it. */
export type Event = 'new process' | 'new listener' | Exclude<Phase, 'up'>;

/** A random plan. */
export interface FaultPlan {
  /** Draws a number from 0 up to 1. */
  random(): number;
  /** What happens to the next exchange. */
  fault(): Fault;
  /** What happens next, and how many calls end before it. */
  next(): { readonly event: Event; readonly after: number };
}

/** How likely each fault is, for each exchange: 11.5 % in all that lose something, and 6 % that only take longer. */
const FAULTS: readonly (readonly [Fault, number])[] = [
  ['cut before', 0.025],
  ['cut after', 0.025],
  ['unheard', 0.025],
  ['cut within', 0.025],
  ['silence', 0.015],
  ['slow', 0.03],
  ['delay', 0.03],
];
const EVENTS: readonly Event[] = ['new process', '404', 'new listener', '503', 'refused', 'new listener'];

/** Between two events so many calls end: at least, and at most so many more. */
const LEAST_BETWEEN = 15;
const MORE_BETWEEN = 25;

/** A plan that depends only on its seed, a whole number. */
export function planFaults(seed: number): FaultPlan {
  const random = seededRandom(seed);
  return {
    random,
    fault() {
      let left = random();
      for (const [fault, share] of FAULTS) if ((left -= share) < 0) return fault;
      return 'none';
    },
    next: () => ({
      event: EVENTS[Math.floor(random() * EVENTS.length)]!,
      after: LEAST_BETWEEN + Math.floor(random() * MORE_BETWEEN),
    }),
  };
}
