import type { Denial } from '../../protocol/auth.ts';
import type { LogEntry, Logger } from '../../protocol/log.ts';
import { CODE } from '../../protocol/errors.ts';
import { errorText } from '../../wire/text.ts';
import { isUnavailable, UnavailableError } from '../../store/unavailable.ts';
import { errorObjectOf } from '../serving/error-texts.ts';
import type { Refusal } from './run-checks.ts';
import type { Body, HttpExchange } from './http-exchange.ts';
import type { Endpoint } from './endpoint.ts';
import { sendError, sendUnavailable } from './send-error.ts';

/** Logs that a request is refused, with its sender. */
function reportRefusal(
  faults: Logger,
  { quotaKey: sender = 'unknown' }: HttpExchange,
  { level, status, check, message, cause }: { level: LogEntry['level']; check: string } & Omit<Denial, 'headers'>,
): void {
  faults({
    level,
    event: 'request-refused',
    message: `A request was refused with status ${status} (${check}; sender: ${sender}): ${message}`,
    details: cause,
  });
}

/** Answers a request that a check refused, and logs the refusal. */
export function refuse(
  { faults }: Pick<Endpoint, 'faults'>,
  http: HttpExchange,
  { status, headers, error, check }: Refusal,
): void {
  const level = status === 403 ? 'warn' : 'info';
  reportRefusal(faults, http, { level, status, check, message: error.message });
  sendError(http.reply, status, error, { ...headers, ...http.headers }, http.id);
}

/**
 * Answers a request that `auth` refused, or whose token is insufficient, and logs the refusal. `fault`: a mistake in the `auth` function, only
 * for the log.
 */
export function refuseCaller(
  { faults }: Pick<Endpoint, 'faults'>,
  http: HttpExchange,
  { status, message, headers, cause }: Denial,
  { check, fault }: { readonly check: string; readonly fault?: string | undefined },
): void {
  const isFault = fault !== undefined || (cause !== undefined && status >= 500);
  reportRefusal(faults, http, { level: isFault ? 'error' : 'info', status, check, message: fault ?? message, cause });
  sendError(http.reply, status, { code: CODE.invalidRequest, message }, { ...http.headers, ...headers });
}

/** Answers a request that failed because of the server: details are only logged. */
export function failRequest(
  { engine, faults }: Pick<Endpoint, 'engine' | 'faults'>,
  { reply, headers, id }: Pick<HttpExchange, 'reply' | 'headers' | 'id'>,
  error: unknown,
): void {
  if (reply.closed) return;
  const refused = error instanceof UnavailableError;
  if (!refused && !isUnavailable(error))
    return sendError(reply, 500, errorObjectOf(engine.log, 'An HTTP request', error), headers);
  if (!refused) reportUnavailable(faults, error);
  const object = refused ? error.toJSON() : new UnavailableError(UNKNOWN, false).toJSON();
  return sendUnavailable(reply, errorText(id, object), headers);
}

const UNKNOWN = 'The state of this server is not available now: the request failed. Try again later.';

/** Reports that the store is unavailable. */
export function reportUnavailable(faults: Logger, error: unknown): void {
  faults({ level: 'error', event: 'store-failed', message: 'The store is not available', details: error });
}

/** Refuses new work of a server that shuts down. */
export function refuseWhileDraining({ reply, headers, id }: HttpExchange): void {
  const error = new UnavailableError('The server is shutting down. Nothing was done: the request may be repeated.');
  sendUnavailable(reply, errorText(id, error.toJSON()), headers);
}

/** Answers a message for another node that the bus did not take. */
export function refuseUndelivered({ reply, headers }: HttpExchange): void {
  const message = 'The message did not reach the node of the server that it is for. Send it again.';
  sendUnavailable(reply, errorText(undefined, { code: CODE.internalError, message }), headers);
}

/** Does a body have a request, which is new work? */
export function hasRequest(body: Body): boolean {
  return body.kind === 'request' || (body.kind === 'batch' && body.messages.some(({ kind }) => kind === 'request'));
}
