// Detects whether processes are idle. A process that is ready to run but has no CPU time is not idle.

import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { turns } from './until.ts';

/** How long to wait on systems without process states, in milliseconds. */
const UNKNOWN_MS = 2_500;
const SAMPLES = 10;
const SAMPLE_INTERVAL_MS = 10;

/** proc(5): `pid (name) state …`; the name may contain any character. */
function stateOf(path: string): string {
  const stat = readFileSync(path, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
}

/** Whether all threads of a process sleep. A process that has exited counts as sleeping. */
function sleeps(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((task) => /[SZX]/.test(stateOf(`/proc/${pid}/task/${task}/stat`)));
  } catch {
    return true;
  }
}

/** The child processes of a process, and their descendants. */
function descendants(pid: number): number[] {
  try {
    const own = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    return own.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

/** Waits until this process has no pending file operations, and no other work that does not depend on anything outside. */
export async function filesAtRest(): Promise<void> {
  for (let looks = 0; looks < SAMPLES; await turns(5))
    looks = process.getActiveResourcesInfo().some((name) => /^(?:FSReq|CloseReq)/.test(name)) ? 0 : looks + 1;
}

/** Waits until a process and its descendants are idle: in several consecutive samples, all of them sleep. */
export async function atRest(pid: number): Promise<void> {
  if (process.platform !== 'linux') return void (await sleep(UNKNOWN_MS));
  for (let looks = 0; looks < SAMPLES; await sleep(SAMPLE_INTERVAL_MS))
    looks = [pid, ...descendants(pid)].every(sleeps) ? looks + 1 : 0;
}
