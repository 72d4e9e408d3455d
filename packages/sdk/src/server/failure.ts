import type { Logger } from '../protocol/log.ts';
import type { CallToolResult } from '../protocol/results.ts';

/** What the model reads when a tool fails. */
export const toolFailure = (message: string): CallToolResult => ({ content: [{ type: 'text', text: message }], isError: true });

/**
 * Reports a handler that threw something unforeseen: in full to the operator's log, to the peer as a short id
 * that leads there. Exceptions name hosts, paths and credentials.
 */
export const reportFailure = (what: string, error: unknown, log: Logger): string => {
  const id = crypto.randomUUID().slice(0, 8);
  log({ level: 'error', event: 'handler-failed', message: `${what} failed (error ${id})`, details: error });
  return id;
};
