// Runs programs of others: with a folder of their own as home, for a limited time, and everything they started is ended after it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** How a program ended. */
export interface Ended {
  /** Its exit code, or why there is none. */
  readonly code: number | 'stopped' | 'killed';
  readonly out: string;
  readonly err: string;
}

/** Where and how a program runs. */
export interface Place {
  /** The temporary folder that is its home and its working directory. */
  readonly home: string;
  /** How long it may take, in milliseconds. */
  readonly limit: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Gives a program a new temporary home, and removes that after it. */
export async function withHome<Result>(act: (home: string) => Promise<Result>): Promise<Result> {
  const home = mkdtempSync(join(tmpdir(), 'tenon-wild-'));
  mkdirSync(join(home, 'tmp'));
  try {
    return await act(home);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** The environment of a program: no keys, no configuration and no home of this machine. */
export function environment(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    USERPROFILE: home,
    TMPDIR: join(home, 'tmp'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    ...more,
  };
}

/** Ends a program and what it started: it was started as the leader of a process group. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** Starts a program; its caller ends it with `endGroup`. */
export function start(
  [file = '', ...args]: readonly string[],
  { home, env }: Omit<Place, 'limit'>,
  stdin: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  return spawn(file, args, {
    cwd: home,
    env: environment(home, env),
    stdio: [stdin, 'pipe', 'pipe'],
    detached: true,
  });
}

/** Runs a program to its end, or stops it when its time is over. */
export function run(command: readonly string[], place: Place): Promise<Ended> {
  return new Promise((resolve) => {
    const child = start(command, place);
    let out = '';
    let err = '';
    let stopped = false;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
    const timer = setTimeout(() => {
      stopped = true;
      endGroup(child);
    }, place.limit);
    // What it started may hold its output open.
    child.once('exit', () => setTimeout(() => endGroup(child), 500));
    child.once('error', (error) => (err += error.message));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: stopped ? 'stopped' : (code ?? 'killed'), out, err });
    });
  });
}

/** Waits until a program has printed what `found` finds, and gives its first group. */
export function printed(child: ChildProcess, found: RegExp, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`it did not print ${found} in time: ${said}`)), limit);
    const hear = (text: string): void => {
      said += text;
      const [, group] = found.exec(said) ?? [];
      if (group === undefined) return;
      clearTimeout(timer);
      resolve(group);
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      reject(new Error(`it ended with ${code}: ${said}`));
    });
  });
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
