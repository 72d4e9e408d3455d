import type { Exchange } from '../protocol/exchange.ts';
import type { Logger } from '../protocol/log.ts';
import type { CallToolResult } from '../protocol/results.ts';

/** What the model reads when a tool fails. */
export const toolFailure = (message: string): CallToolResult => ({
  content: [{ type: 'text', text: message }],
  isError: true,
});

/**
 * Reports a handler that threw something unforeseen: in full to the operator's log, to the peer as a short id
 * that leads there. Exceptions name hosts, paths and credentials. After a cancellation handlers are meant to fail:
 * that is no news.
 */
export const reportFailure = (
  what: string,
  error: unknown,
  log: Logger,
  exchange?: Pick<Exchange, 'cancelled'>,
): string => {
  const id = crypto.randomUUID().slice(0, 8);
  const stopped = exchange?.cancelled === true;
  log({
    level: stopped ? 'debug' : 'error',
    event: stopped ? 'handler-stopped' : 'handler-failed',
    message: `${what} failed${stopped ? ' after it was cancelled' : ''} (error ${id})`,
    details: error,
    errorId: id,
  });
  return id;
};
