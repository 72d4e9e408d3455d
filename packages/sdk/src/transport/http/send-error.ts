import type { ErrorObject, RequestId } from '../../protocol/jsonrpc.ts';
import type { MessageText } from '../../protocol/message-text.ts';
import { RETRY_AFTER_MS } from '../../store/unavailable.ts';
import { errorText } from '../../wire/text.ts';
import { type Headers, type HttpReply, JSON_TYPE } from './http-message.ts';

/** Statuses after which the connection is closed: the request may have a body that will not be read. */
const CLOSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 413, 503]);

/** Answers with an error that does not come from a method. */
export function sendError(
  reply: HttpReply,
  status: number,
  error: ErrorObject,
  headers: Headers | undefined,
  id?: RequestId,
): void {
  sendErrorText(reply, status, errorText(id, error), headers);
}

/** The same for an encoded error. */
export function sendErrorText(reply: HttpReply, status: number, text: MessageText, headers: Headers | undefined): void {
  reply.send(status, { ...JSON_TYPE, ...headers }, text, CLOSING_STATUSES.has(status));
}

/** Answers a request that was refused because the store is unavailable, with an encoded error. */
export function sendUnavailable(reply: HttpReply, text: MessageText, headers: Headers | undefined): void {
  sendErrorText(reply, 503, text, { ...headers, ...RETRY_LATER });
}

/** Asks clients to repeat a request that needs the store. */
export const RETRY_LATER: Headers = { 'retry-after': String(RETRY_AFTER_MS / 1_000) };
