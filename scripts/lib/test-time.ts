// Lets a test control the time of its process. While time stands still, code that waits for a timer waits for the test.

import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';
import { turns } from './until.ts';

export interface StoppedTime {
  /** Milliseconds since it was stopped. */
  now(): number;
  /** Lets this many milliseconds pass, in small steps, and lets pending work settle after each step. */
  pass(ms: number): Promise<void>;
}

/**
 * Stops `setTimeout`, `setInterval`, `Date` and `performance.now` of this process until the test ends. No other test of the file may run
 * meanwhile. Timers in Node's own modules continue, and so do those imported by name from `node:timers/promises`, unless `imported` is
 * true.
 */
export function stopTime(t: TestContext, { imported = false } = {}): StoppedTime {
  // A whole number, because adding to a fraction and subtracting again rounds, so a time just over a limit might not be.
  const start = Math.ceil(performance.now());
  let passed = 0;
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() });
  t.mock.method(performance, 'now', () => start + passed);
  if (imported) {
    // Only this changes the bindings that modules imported by name from a Node module.
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
 * Lets a test make `Date.now` and `performance.now` of this process, or only one of them, jump until the test ends. Timers continue as
 * before. With `stands` these clocks stand still between jumps.
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
