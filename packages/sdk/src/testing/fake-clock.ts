import type { Clock } from '../client/clock.ts';

/** A clock whose time changes only when a test advances it. */
export interface FakeClock extends Clock {
  /** Advances the time; timers that are due run in order. */
  tick(ms: number): void;
  /** The same, and waits until everything that the timers caused has run. */
  advance(ms: number): Promise<void>;
  /** The number of timers that are set. */
  readonly timers: number;
}

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

/** Lets all pending promise callbacks run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * A clock for tests, for the option `clock`. `start` is its first time, in milliseconds (default 0).
 *
 * @example
 * ```ts
 * import { agreesOn, connectScripted, fakeClock } from 'tenon/testing';
 *
 * const clock = fakeClock();
 * const { client } = await connectScripted({ ...agreesOn('2025-11-25'), ping: () => undefined }, { clock, timeout: 1_000 });
 * const pinged = client.ping();
 * await clock.advance(1_000);
 * await pinged; // rejects with a `TimeoutError`
 * ```
 */
export function fakeClock(start = 0): FakeClock {
  let now = start;
  const alarms = new Map<number, Alarm>();
  let next = 1;

  const earliest = (until: number): [number, Alarm] | undefined => {
    let found: [number, Alarm] | undefined;
    for (const entry of alarms)
      if (entry[1].at <= until && (found === undefined || entry[1].at < found[1].at)) found = entry;
    return found;
  };

  return {
    now: () => now,
    setTimeout(run, ms) {
      alarms.set(next, { at: now + Math.max(0, ms), run });
      return next++;
    },
    clearTimeout: (timer) => void alarms.delete(timer as number),
    tick(ms) {
      const until = now + ms;
      for (let due = earliest(until); due !== undefined; due = earliest(until)) {
        alarms.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].run();
      }
      now = until;
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let due = earliest(until); due !== undefined; due = earliest(until)) {
        alarms.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].run();
        await settle();
      }
      now = until;
      await settle();
    },
    get timers() {
      return alarms.size;
    },
  };
}
