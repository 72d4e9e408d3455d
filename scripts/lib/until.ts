// Waiting in tests, for a state and never for a time.

import assert from 'node:assert/strict';
import timers from 'node:timers/promises';

/** A net and no measure: no test that passes waits for so long, on a machine however busy. */
export const PATIENCE_MS = 60_000;

// The real time, also where a test has stopped it.
const now = performance.now.bind(performance);
const sleep = timers.setTimeout;

/** Waits until something holds, looking again and again. `what`: what did not happen, if it does not. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = () => holds.toString(),
): Promise<void> {
  for (const late = now() + PATIENCE_MS; !(await holds()); await sleep(2))
    if (now() > late) assert.fail(`This did not happen in time: ${typeof what === 'string' ? what : what()}`);
}

/** Lets everything happen that waits for nothing outside of this process and for no timer: many turns of the event loop. */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => void setImmediate(resolve));
}
