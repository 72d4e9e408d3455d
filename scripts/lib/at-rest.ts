// Whether processes have anything to do. One that would run, but that the machine has no time for, has.

import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { turns } from './until.ts';

/** Where the system does not tell, this is taken for long enough, in milliseconds. */
const UNKNOWN_MS = 2_500;
const LOOKS = 10;
const LOOK_MS = 10;

/** proc(5): `pid (name) state …`; the name may hold anything. */
const stateOf = (path: string): string => {
  const stat = readFileSync(path, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
};

/** Do all threads of a process sleep? One that is gone has nothing to do. */
const sleeps = (pid: number): boolean => {
  try {
    return readdirSync(`/proc/${pid}/task`).every((task) => /[SZX]/.test(stateOf(`/proc/${pid}/task/${task}/stat`)));
  } catch {
    return true;
  }
};

/** The processes that a process started, and those that these did. */
function descendants(pid: number): number[] {
  try {
    const own = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    return own.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

/** Waits until this process reads, writes and closes no file, and has nothing else to do that waits for nothing outside. */
export async function filesAtRest(): Promise<void> {
  for (let looks = 0; looks < LOOKS; await turns(5))
    looks = process.getActiveResourcesInfo().some((name) => /^(?:FSReq|CloseReq)/.test(name)) ? 0 : looks + 1;
}

/** Waits until a process and all that it started have nothing to do: each time somebody looks, all of them sleep. */
export async function atRest(pid: number): Promise<void> {
  if (process.platform !== 'linux') return void (await sleep(UNKNOWN_MS));
  for (let looks = 0; looks < LOOKS; await sleep(LOOK_MS))
    looks = [pid, ...descendants(pid)].every(sleeps) ? looks + 1 : 0;
}
