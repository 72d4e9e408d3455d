import process from 'node:process';
import { within } from '../promises.ts';

/** An object that serves one connection. */
export interface Served {
  /** Settles when the peer has disconnected or the connection is broken. If it waits for running calls, it must limit that time itself. */
  readonly closed: Promise<void>;
  /** Finishes or abandons the running calls and closes the connection. Idempotent. */
  close(): Promise<void>;
}

/** Options for how the process ends. */
export interface RunOptions {
  /** Ends the process when the connection has ended, even if timers or sockets are still open. Default true. */
  readonly exit?: boolean;
  /** How long running calls may continue after the peer has disconnected, in milliseconds. Default 1,000. */
  readonly graceMs?: number;
}

/** The specification asks servers to exit promptly when stdin closes; a client waits about two seconds before it uses force. */
const GRACE_MS = 1_000;

/** How long writing the last lines of the log may take, in milliseconds. */
const STDERR_MS = 100;

/**
 * Resolves when everything written so far has been flushed. If the process exited earlier, that output would be lost, because pipes are
 * written asynchronously.
 */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

/**
 * Waits until the peer disconnects, or for SIGTERM or SIGINT. Then closes within `graceMs`, and exits with `process.exitCode`, or 0, even
 * if timers and sockets are still open; a second signal exits at once. With `exit: false` it resolves instead, and does not end the
 * process.
 *
 * @example
 * ```ts
 * await runUntilClosed(served, { graceMs: 500 });
 * ```
 */
export async function runUntilClosed(served: Served, options: RunOptions = {}): Promise<void> {
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
  // A broken connection is a normal end here: it has already been reported.
  const closed = served.closed.catch(() => {});
  try {
    await Promise.race([closed, stopped]);
    await within(
      graceMs,
      served.close().catch(() => {}),
    );
  } finally {
    for (const off of handlers) off();
  }
  if (!exit) return;
  await within(STDERR_MS, flushed(process.stderr));
  process.exit();
}
