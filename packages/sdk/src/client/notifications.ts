import type { ErrorObject, Notification } from '../protocol/jsonrpc.ts';
import { isLogLevel } from '../protocol/log.ts';
import { shown } from '../protocol/text.ts';
import type { Settings } from './options.ts';
import type { Report } from './report.ts';

/** Returns a handler of error responses without an id. */
export function reportUnreadable(report: Report) {
  return (error: ErrorObject): void =>
    report('warn', 'unreadable', `The server could not read a message: ${shown(error.message)} (error ${error.code})`);
}

/** Handles notifications that belong to neither a subscription nor a request: log messages, and those of extensions. */
export function createNotificationHandler(settings: Settings, report: Report): (message: Notification) => void {
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
        report('debug', 'no-taker', `Nothing handles the notification ${shown(method, 60)}`);
      else guarded(() => onNotification(method, params), 'onNotification');
      return;
    }
    const { level, logger, data } = params ?? {};
    if (!isLogLevel(level)) return report('warn', 'bad-log', `A log message has an unknown level: ${shown(level, 40)}`);
    if (onLog === undefined) return;
    guarded(() => onLog({ level, logger: typeof logger === 'string' ? logger : undefined, data }), 'onLog');
  };
}

/** Reports a notification that belongs to no subscription of the client. */
export function reportUnsolicited(report: Report, method: string): void {
  report('warn', 'unsolicited', `${shown(method, 60)} that was not asked for is ignored`);
}
