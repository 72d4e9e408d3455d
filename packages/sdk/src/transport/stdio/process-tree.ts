import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

// Node modules that only parents of processes need are loaded when they are used: a server on stdio imports this file, too, and loading
// them would take a fifth of its start-up time.

function windows(): boolean {
  return process.platform === 'win32';
}

/** Signals a child and all processes that it started. Returns whether there were any. */
export function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (!windows()) return signalGroup(pid, signal);
  // Windows has no process groups and no graceful signal; taskkill ends the tree (specification, stdio: the mechanism of the platform).
  process
    .getBuiltinModule('node:child_process')
    .spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    .on('error', () => {});
  return true;
}

/** The interval at which to check whether processes are still running, in milliseconds. */
const POLL_MS = 20;

/** How long the system may take to carry out a SIGKILL, in milliseconds. */
const KILL_WAIT_MS = 500;

/**
 * Ends the processes that a child that has exited left behind in its group: SIGTERM, unless it was sent before (`told`), and SIGKILL after
 * `ms`.
 */
export async function endSurvivors(pid: number, options: { ms: number; told: boolean }): Promise<void> {
  if (windows() || !signalGroup(pid, options.told ? 0 : 'SIGTERM')) return;
  if (await groupGone(pid, options.ms)) return;
  signalGroup(pid, 'SIGKILL');
  await groupGone(pid, KILL_WAIT_MS);
}

async function groupGone(pid: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  for (;;) {
    if (!signalGroup(pid, 0) || onlyZombies(pid)) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(POLL_MS, left));
  }
}

/**
 * Orphans that have ended stay in the process table if process 1 does not collect them, as in a container whose only program is Node. They
 * count as members of the group, but need not be waited for.
 */
function onlyZombies(group: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const { readdirSync } = process.getBuiltinModule('node:fs');
    return readdirSync('/proc').every((name) => !/^\d+$/.test(name) || !isMember(name, group));
  } catch {
    return false;
  }
}

/** proc(5): `pid (name) state ppid pgrp …`; the name may contain any character. */
function isMember(pid: string, group: number): boolean {
  try {
    const stat = process.getBuiltinModule('node:fs').readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(pgrp) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    // ESRCH: no process is left. EPERM: they belong to another user and cannot be signalled.
    return false;
  }
}

const live = new Set<() => void>();

function endAll(): void {
  for (const kill of live) kill();
}

/**
 * Children lead their own groups, so Ctrl-C in a terminal does not reach them: they are signalled when a signal is about to end this
 * process. If there are other listeners, one of them decides what the signal means, and `exit` follows if the process ends. While they are
 * called our listener is removed, so that listeners that check whether they are the only one work.
 */
function onSignal(signal: NodeJS.Signals): void {
  process.off(signal, onSignal);
  if (process.listenerCount(signal) > 0) {
    setImmediate(() => {
      process.off(signal, onSignal);
      if (live.size > 0) process.prependListener(signal, onSignal);
    }).unref();
    return;
  }
  endAll();
  process.kill(process.pid, signal);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `kill` if this process ends first. Returns a function that cancels this. */
export function onParentEnd(kill: () => void): () => void {
  if (live.size === 0) {
    process.on('exit', endAll);
    for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  }
  live.add(kill);
  return () => {
    if (!live.delete(kill) || live.size > 0) return;
    process.off('exit', endAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}
