// What work costs in CPU time. Unlike wall time it hardly depends on what else the machine does, so a test can have a limit for it: about
// ten times what the work needs, which still tells "linear" from "quadratic" where the input is large.

import assert from 'node:assert/strict';
import process from 'node:process';

const RUNS = 3;

const since = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};

/** Milliseconds of CPU time that this process uses for `work`, all its threads together. */
function cpuMs(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  return since(start);
}

const assertBelow = (ms: number, limitMs: number, what: string): void =>
  assert.ok(
    ms < limitMs,
    `${what === '' ? 'It' : what} took ${Math.round(ms)} ms of CPU time, the limit is ${limitMs}`,
  );

/** Runs `work`, gives its result, and fails when it used as much CPU time as the limit or more. A run that is too slow gets two more chances. */
export function withinCpuMs<T>(limitMs: number, work: () => T, what = ''): T {
  for (let run = 1; ; run++) {
    const start = process.cpuUsage();
    const result = work();
    const ms = since(start);
    if (ms < limitMs) return result;
    if (run === RUNS) assertBelow(ms, limitMs, what);
  }
}

/** The same for work that is asynchronous: everything counts that this process does meanwhile. It runs once. */
export async function withinCpuMsAsync<T>(limitMs: number, work: () => Promise<T>, what = ''): Promise<T> {
  const start = process.cpuUsage();
  const result = await work();
  assertBelow(since(start), limitMs, what);
  return result;
}

/**
 * Fails when four times the size costs more than eight times as much: linear work costs four times as much, quadratic sixteen times.
 * `size` is to be so large that the work takes milliseconds.
 */
export function assertLinear(size: number, work: (size: number) => unknown, what = ''): void {
  const least = (n: number): number => Math.min(...Array.from({ length: RUNS }, () => cpuMs(() => work(n))));
  // What was not run before is slow for other reasons.
  work(size);
  const [small, large] = [least(size), least(4 * size)];
  assert.ok(
    large < 8 * small + 1,
    `${what === '' ? 'It' : what} took ${small.toFixed(1)} ms of CPU time at size ${size}, ${large.toFixed(1)} at ${4 * size}`,
  );
}
