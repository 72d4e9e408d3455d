/** Severities of RFC 5424, the ones MCP uses, least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** One of the eight severities of RFC 5424. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const RANK: ReadonlyMap<unknown, number> = new Map(LOG_LEVELS.map((level, rank) => [level, rank]));

/** Is this the name of a log level? */
export function isLogLevel(value: unknown): value is LogLevel {
  return RANK.has(value);
}

/** Is `level` as severe as `threshold`, or more? */
export function reaches(level: LogLevel, threshold: LogLevel): boolean {
  return RANK.get(level)! >= RANK.get(threshold)!;
}

/**
 * Receives what the library reports to the operator. The library itself never writes to stdout or the console. `details` may contain data
 * that must not reach a peer (stacks, paths), but never credentials.
 */
export interface Logger {
  (entry: LogEntry): void;
}

/** An entry of the operator's log. */
export interface LogEntry {
  /** The severity. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** A stable, short name of the event: `handler-failed`, `junk-line`. */
  readonly event: string;
  /** What happened, in a sentence for people. */
  readonly message: string;
  /** Details, such as the error that was thrown. */
  readonly details?: unknown;
  /** The short id that was sent to the peer instead of `details`. Default: nothing was held back. */
  readonly errorId?: string;
}

/** The same logger, but it never throws: a logger that fails must not break the operation that it reports. */
export function safeLogger(log: Logger): Logger {
  return (entry) => {
    try {
      log(entry);
    } catch {
      // There is no other place to report it.
    }
  };
}

/** The same logger for one peer, which must not be able to fill the log: each event is written at most `most` times. */
export function limitedLogger(log: Logger, most = 20): Logger {
  const counts = new Map<string, number>();
  return (entry) => {
    const count = (counts.get(entry.event) ?? 0) + 1;
    if (count > most) return;
    counts.set(entry.event, count);
    log(count < most ? entry : { ...entry, message: `${entry.message} (further ones are not reported)` });
  };
}

/** The logger that is used when none is given. */
export const silent: Logger = () => {};
