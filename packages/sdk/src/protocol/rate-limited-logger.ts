import type { Logger } from './log.ts';

/** The same logger for all clients: each event is written at most `most` times in `everyMs` milliseconds. */
export function rateLimitedLogger(log: Logger, most = 20, everyMs = 60_000, now = () => performance.now()): Logger {
  const counts = new Map<string, { until: number; count: number }>();
  return (entry) => {
    const at = now();
    const before = counts.get(entry.event);
    const window = before === undefined || before.until <= at ? { until: at + everyMs, count: 0 } : before;
    if (window !== before) counts.set(entry.event, window);
    window.count++;
    if (window.count > most) return;
    log(
      window.count < most
        ? entry
        : { ...entry, message: `${entry.message} (further ones are not reported for a while)` },
    );
  };
}

const LIMITED = new WeakMap<Logger, Logger>();

/** The rate-limited logger of a server, for code that has only the server's logger. */
export function rateLimitedLoggerOf(log: Logger): Logger {
  const limited = LIMITED.get(log) ?? rateLimitedLogger(log);
  LIMITED.set(log, limited);
  return limited;
}
