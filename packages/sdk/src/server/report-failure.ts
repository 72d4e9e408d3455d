import type { RequestContext } from '../protocol/request-context.ts';
import type { Logger } from '../protocol/log.ts';

/**
 * Reports an unexpected exception of a handler: in full to the operator's log, to the peer only as a short id that refers to the log entry,
 * because exceptions contain hosts, paths and credentials. After a cancellation exceptions are expected and not reported.
 */
export function reportFailure(
  what: string,
  error: unknown,
  log: Logger,
  request?: Pick<RequestContext, 'cancelled'>,
): string {
  const id = crypto.randomUUID().slice(0, 8);
  const stopped = request?.cancelled === true;
  log({
    level: stopped ? 'debug' : 'error',
    event: stopped ? 'handler-stopped' : 'handler-failed',
    message: `${what} failed${stopped ? ' after it was cancelled' : ''} (error ${id})`,
    details: error,
    errorId: id,
  });
  return id;
}
