// A plan of faults and events, drawn from a seed. It counts exchanges and calls, never time.

import { seededRandom } from '../../../../scripts/lib/seeded-random.ts';
import type { Fault, Phase } from './fault-proxy.ts';

/** An event that concerns the server, or all traffic to it. */
export type Event = 'new process' | 'new listener' | Exclude<Phase, 'up'>;

/** A random plan. */
export interface FaultPlan {
  /** Draws a number from 0 up to 1. */
  random(): number;
  /** The fault of the next exchange. */
  fault(): Fault;
  /** The next event, and the number of calls that end before it. */
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

/** The minimum number of calls that end between two events, and the maximum number of additional ones. */
const MIN_BETWEEN = 15;
const EXTRA_BETWEEN = 25;

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
      after: MIN_BETWEEN + Math.floor(random() * EXTRA_BETWEEN),
    }),
  };
}
