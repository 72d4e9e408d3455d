import { safeLogger, type LogEntry, type Logger } from '../protocol/log.ts';

/** Writes a peer's faults to the operator's log. A peer that repeats one cannot fill the log. */
export interface Report {
  (level: LogEntry['level'], event: string, message: string, details?: unknown): void;
  /** How often an event happened, reported or not. */
  count(event: string): number;
}

/** How often the same event is logged. */
const MAX_REPORTED = 20;

export function createReport(logger: Logger): Report {
  const log = safeLogger(logger);
  const counts = new Map<string, number>();
  const report = (level: LogEntry['level'], event: string, message: string, details?: unknown): void => {
    const count = (counts.get(event) ?? 0) + 1;
    counts.set(event, count);
    if (count > MAX_REPORTED) return;
    const rest = count === MAX_REPORTED ? ' (further ones are counted, not reported)' : '';
    // Absent, not undefined: a logger that prints its entries would print it.
    log({ level, event, message: message + rest, ...(details !== undefined && { details }) });
  };
  return Object.assign(report, { count: (event: string) => counts.get(event) ?? 0 });
}
