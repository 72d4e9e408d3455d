import type { ErrorObject, Notification } from '../protocol/jsonrpc.ts';
import { isLogLevel } from '../protocol/log.ts';
import { shown } from '../protocol/text.ts';
import type { Settings } from './options.ts';
import type { Report } from './report.ts';

/** What a connection does with an error that names no request. */
export const unreadable =
  (report: Report) =>
  (error: ErrorObject): void =>
    report('warn', 'unreadable', `The server could not read a message: ${shown(error.message)} (error ${error.code})`);

/** Takes the notifications that belong to no subscription and no request: log messages, and what extensions bring. */
export const createNotices = (settings: Settings, report: Report): ((message: Notification) => void) => {
  const { onLog, onNotification } = settings;
  const guarded = (run: () => void, name: string): void => {
    try {
      run();
    } catch (error) {
      report('error', 'handler-failed', `${name} threw an error`, error);
    }
  };
  return ({ method, params }) => {
    if (method !== 'notifications/message') {
      if (onNotification === undefined)
        report('debug', 'no-taker', `A notification without a taker: ${shown(method, 60)}`);
      else guarded(() => onNotification(method, params), 'onNotification');
      return;
    }
    const { level, logger, data } = params ?? {};
    if (!isLogLevel(level)) return report('warn', 'bad-log', `A log message has an unknown level: ${shown(level, 40)}`);
    if (onLog === undefined) return;
    guarded(() => onLog({ level, logger: typeof logger === 'string' ? logger : undefined, data }), 'onLog');
  };
};

/** Tells of a notification that belongs to nothing the client asked for. */
export const unsolicited = (report: Report, method: string): void =>
  report('warn', 'unsolicited', `${shown(method, 60)} of nothing that was asked for is ignored`);
