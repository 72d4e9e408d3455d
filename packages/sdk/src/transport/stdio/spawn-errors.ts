import { shown } from '../../protocol/text.ts';

/** How a process ended. */
export interface ProcessExit {
  /** The exit code, or null if a signal ended it or it never started. */
  readonly code: number | null;
  /** The signal that ended it, or null. */
  readonly signal: string | null;
  /** The last 64 KiB of its stderr, if that was captured. */
  readonly stderr: string;
}

const QUOTED_CHARACTERS = 2_000;

function quoteOf(stderr: string): string {
  const text = stderr.trim();
  if (text === '') return '';
  const lines = text.slice(-QUOTED_CHARACTERS).split('\n');
  return ` Its last stderr:\n${lines.map((line) => shown(line.trimEnd(), QUOTED_CHARACTERS)).join('\n')}`;
}

function describeExit({ code, signal }: ProcessExit): string {
  if (signal !== null) return `was ended by ${signal}`;
  if (code !== null) return `exited with code ${code}`;
  return 'closed its stdout but keeps running';
}

/** The server process ended without being closed by the client. With `code` 0 it exited on its own. */
export class ProcessExitError extends Error implements ProcessExit {
  override readonly name = 'ProcessExitError';
  /** The exit code, or null if a signal ended it, or if it only closed its stdout. */
  readonly code: number | null;
  /** The signal that ended it, or null. */
  readonly signal: string | null;
  /** The last 64 KiB of its stderr, if that was captured. */
  readonly stderr: string;

  constructor(exit: ProcessExit) {
    super(`The server process ${describeExit(exit)}.${quoteOf(exit.stderr)}`);
    this.code = exit.code;
    this.signal = exit.signal;
    this.stderr = exit.stderr;
  }
}

/** The server process could not be started. */
export class SpawnError extends Error {
  override readonly name = 'SpawnError';
  /** The system's error code: `ENOENT`, `EACCES`. */
  readonly code: string;
  /** The command that was to be started. */
  readonly command: string;

  constructor(command: string, reason: string, cause: unknown) {
    super(`Could not start '${shown(command)}': ${reason}`, { cause });
    const { code } = cause as { code?: unknown };
    this.code = typeof code === 'string' ? code : 'ERR_SPAWN';
    this.command = command;
  }
}
