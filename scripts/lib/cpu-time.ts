// Measures CPU time. Unlike wall time it hardly depends on other load of the machine, so a test can have a limit for it: about
// ten times the expected time, which still distinguishes linear from quadratic work if the input is large.

import assert from 'node:assert/strict';
import process from 'node:process';

const RUNS = 3;
const RUNS_UNTIL_CERTAIN = 25;

function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** CPU time of all threads of this process during `work`, in milliseconds. */
function cpuMs(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  return since(start);
}

function assertBelow(ms: number, limitMs: number, what: string): void {
  assert.ok(
    ms < limitMs,
    `${what === '' ? 'It' : what} took ${Math.round(ms)} ms of CPU time, the limit is ${limitMs}`,
  );
}

/** Runs `work` and returns its result. Fails if it uses at least the limit of CPU time; after a slow run it is tried two more times. */
export function withinCpuMs<T>(limitMs: number, work: () => T, what = ''): T {
  for (let run = 1; ; run++) {
    const start = process.cpuUsage();
    const result = work();
    const ms = since(start);
    if (ms < limitMs) return result;
    if (run === RUNS) assertBelow(ms, limitMs, what);
  }
}

/** The same for asynchronous work: all CPU time of this process meanwhile counts. It runs once. */
export async function withinCpuMsAsync<T>(limitMs: number, work: () => Promise<T>, what = ''): Promise<T> {
  const start = process.cpuUsage();
  const result = await work();
  assertBelow(since(start), limitMs, what);
  return result;
}

/**
 * Fails if four times the size takes more than eight times as long: linear work takes four times as long, quadratic work sixteen times.
 * `size` must be large enough for the work to take milliseconds.
 *
 * Other programs that fill the caches can triple the CPU time of a run, but not of each of many. So the shortest runs are
 * compared, both sizes are measured in turns, and a bad ratio is measured again until it is certain.
 */
export function assertLinear(size: number, work: (size: number) => unknown, what = ''): void {
  let [small, large] = [Infinity, Infinity];
  // Warm up first: the first run is slow for other reasons.
  work(size);
  for (let round = 1; round <= RUNS || (large >= 8 * small + 1 && round <= RUNS_UNTIL_CERTAIN); round++) {
    small = Math.min(
      small,
      cpuMs(() => work(size)),
    );
    large = Math.min(
      large,
      cpuMs(() => work(4 * size)),
    );
  }
  assert.ok(
    large < 8 * small + 1,
    `${what === '' ? 'It' : what} took ${small.toFixed(1)} ms of CPU time at size ${size}, ${large.toFixed(1)} at ${4 * size}`,
  );
}
