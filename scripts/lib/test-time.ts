// The time of this process in the hand of a test. Where it stands still, what waits for a timer waits for the test.

import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';
import { turns } from './until.ts';

export interface StoppedTime {
  /** Milliseconds since it was stopped. */
  now(): number;
  /** Lets so many milliseconds pass, in small steps, with everything that follows from each. */
  pass(ms: number): Promise<void>;
}

/**
 * Stops `setTimeout`, `setInterval`, `Date` and `performance.now` of this process until the test ends: no other test of the file may run meanwhile.
 * Timers of Node's own modules go on. Those that were imported by name from `node:timers/promises` go on too, unless `imported` is true.
 */
export function stopTime(t: TestContext, { imported = false } = {}): StoppedTime {
  // A whole number: what adds to a fraction and takes it off again is rounded, and a time that is just over would not be.
  const start = Math.ceil(performance.now());
  let passed = 0;
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() });
  t.mock.method(performance, 'now', () => start + passed);
  if (imported) {
    // What a module imported by name of a module of Node changes only with this.
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.timers.reset();
      syncBuiltinESMExports();
    });
  }
  return {
    now: () => passed,
    async pass(ms) {
      const step = Math.max(1, Math.ceil(ms / 100));
      for (let left = ms; left > 0; left -= step) {
        const next = Math.min(step, left);
        passed += next;
        t.mock.timers.tick(next);
        await turns(2);
      }
    },
  };
}

/**
 * Makes `Date.now` and `performance.now` of this process, or only one of them, jump when it is told to, until the test ends. Timers go on as
 * before. With `stands` these clocks stand still between the jumps.
 */
export function jumpingTime(
  t: TestContext,
  clocks: readonly { now(): number }[] = [Date, performance],
  { stands = false } = {},
): { jump(ms: number): void } {
  let ahead = 0;
  for (const clock of clocks) {
    // A whole number, as in `stopTime`.
    const start = Math.ceil(clock.now());
    const now = stands ? () => start : clock.now.bind(clock);
    t.mock.method(clock, 'now', () => now() + ahead);
  }
  return { jump: (ms) => void (ahead += ms) };
}
