import { TimeoutError } from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import { isUnreachable } from './plain-failure.ts';

/** Whether a start failed because of the configuration, which another attempt would not fix. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  const { name, code } = ((error as Error).cause ?? error) as { readonly name?: unknown; readonly code?: unknown };
  // The other system errors may be temporary.
  return name === 'SpawnError' && code !== 'spawn-failed';
}

/** Whether a server at a URL could not be reached: the configuration is not at fault, so connecting is retried without limit. */
export function isOutage(error: unknown, { launch }: ServerConfig): boolean {
  return 'url' in launch && (error instanceof TimeoutError || isUnreachable(error));
}

/** Watches how long a start takes. */
export interface StartWatch {
  /** Receives what the process writes to stderr. */
  onStderr(text: string): void;
  stop(): void;
}

const MAX_STDERR = 2_000;

function lateText(ms: number, stderr: string): string {
  const [line] = stderr
    .split(/[\r\n]+/)
    .filter((each) => each.trim() !== '')
    .slice(-1);
  const said = line === undefined ? '' : `. It last wrote to stderr: ${line.trim()}`;
  return `it is not ready after ${ms / 1_000} seconds, and the host keeps waiting${said}`;
}

/** Calls `late` with a description for people after each `startMs` milliseconds, until it is stopped. */
export function createStartWatch(startMs: number, late: (problem: string) => void): StartWatch {
  let stderr = '';
  let times = 0;
  const timer = setInterval(() => late(lateText(++times * startMs, stderr)), startMs);
  return {
    onStderr(text) {
      stderr = (stderr + text).slice(-MAX_STDERR);
    },
    stop() {
      clearInterval(timer);
      stderr = '';
    },
  };
}
