import type { ErrorCode } from '../../protocol/error-codes.ts';
import { CodedError } from '../../protocol/errors.ts';
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

function describeExit({ code, signal }: ProcessExit): readonly [ErrorCode<'ProcessExitError'>, string] {
  if (signal !== null) return ['process-killed', `was ended by ${signal}`];
  if (code !== null) return ['process-exited', `exited with code ${code}`];
  return ['stdout-closed', 'closed its stdout but keeps running'];
}

/** The server process ended without being closed by the client. With `exitCode` 0 it exited on its own. */
export class ProcessExitError extends CodedError<ErrorCode<'ProcessExitError'>> {
  protected static override readonly className = 'ProcessExitError';
  declare readonly name: 'ProcessExitError';
  /** The exit code, or null if a signal ended it, or if it only closed its stdout. */
  readonly exitCode: number | null;
  /** The signal that ended it, or null. */
  readonly signal: string | null;
  /** The last 64 KiB of its stderr, if that was captured. */
  readonly stderr: string;

  constructor(exit: ProcessExit) {
    const [code, what] = describeExit(exit);
    super(code, `The server process ${what}.${quoteOf(exit.stderr)}`);
    this.exitCode = exit.code;
    this.signal = exit.signal;
    this.stderr = exit.stderr;
  }
}

/** The server process could not be started. */
export class SpawnError extends CodedError<ErrorCode<'SpawnError'>> {
  protected static override readonly className = 'SpawnError';
  declare readonly name: 'SpawnError';
  /** The system's error code, such as `ENOENT`; undefined if it gave none. */
  readonly systemCode: string | undefined;
  /** The command that was to be started. */
  readonly command: string;

  constructor(code: ErrorCode<'SpawnError'>, command: string, reason: string, cause: unknown) {
    super(code, `Could not start '${shown(command)}': ${reason}`, cause);
    const { code: systemCode } = cause as { code?: unknown };
    this.systemCode = typeof systemCode === 'string' ? systemCode : undefined;
    this.command = command;
  }
}
