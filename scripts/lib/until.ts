// Helpers for tests that wait for states, never for a fixed time.

import assert from 'node:assert/strict';
import timers from 'node:timers/promises';

/** Only a safety net: no passing test waits this long, however busy the machine is. */
export const PATIENCE_MS = 60_000;

// The real clock, even if a test mocks time.
const now = performance.now.bind(performance);
const sleep = timers.setTimeout;

/** Polls until a condition holds. `what` names the condition in the failure. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = () => holds.toString(),
): Promise<void> {
  for (const late = now() + PATIENCE_MS; !(await holds()); await sleep(2))
    if (now() > late) assert.fail(`Timed out waiting for: ${typeof what === 'string' ? what : what()}`);
}

/** Runs many turns of the event loop, so that everything settles that needs no timer and nothing outside of this process. */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => void setImmediate(resolve));
}
