import process from 'node:process';
import { within } from '../within.ts';

/** Something that serves one connection. */
export interface Served {
  /** Settles when the peer is gone or the connection broke. If it waits for running calls, then with a bound of its own. */
  readonly done: Promise<void>;
  /** Finishes or abandons the running calls and closes the connection. Idempotent. */
  close(): Promise<void>;
}

/** How the process ends. */
export interface RunOptions {
  /** Ends the process when the connection is over, also if timers or sockets are still open. True by default. */
  readonly exit?: boolean;
  /** How long running calls may go on after the peer is gone, in milliseconds. */
  readonly graceMs?: number;
}

/** The specification asks servers to exit promptly when stdin closes; a client waits about two seconds before it uses force. */
const GRACE_MS = 1_000;

/** How long the last lines of the log may take to leave, in milliseconds. */
const STDERR_MS = 100;

/** Resolves when everything written so far has left. Exiting earlier would lose it: pipes are written in the background. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

/**
 * Lives as long as the connection: until the peer is gone, or SIGTERM or SIGINT. Then closes within `graceMs`, and exits
 * with `process.exitCode`, or 0, also with timers and sockets still open; a second signal exits at once. With
 * `exit: false` it resolves instead, and leaves the process alone.
 *
 * @example
 * ```ts
 * await runUntilClosed(served, { graceMs: 500 });
 * ```
 */
export const runUntilClosed = async (served: Served, options: RunOptions = {}): Promise<void> => {
  const { exit = true, graceMs = GRACE_MS } = options;
  let stop!: () => void;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  let stopping = false;
  const handlers = SIGNALS.map(([signal, code]) => {
    const handler = (): void => {
      if (stopping) process.exit(process.exitCode ?? code);
      stopping = true;
      stop();
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  // A broken connection is a normal end here: who serves has already reported it.
  const done = served.done.catch(() => {});
  try {
    await Promise.race([done, stopped]);
    await within(
      graceMs,
      served.close().catch(() => {}),
    );
  } finally {
    for (const off of handlers) off();
  }
  if (!exit) return;
  await within(STDERR_MS, written(process.stderr));
  process.exit();
};
