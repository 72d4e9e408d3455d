import type { Denial } from '../../protocol/auth.ts';
import type { Logger } from '../../protocol/log.ts';
import { CODE } from '../../protocol/errors.ts';
import { errorText } from '../../wire/text.ts';
import { isUnavailable, UnavailableError } from '../../store/unavailable.ts';
import { errorObjectOf } from '../serving/error-texts.ts';
import type { Refusal } from './run-checks.ts';
import type { Body, HttpExchange } from './http-exchange.ts';
import type { Endpoint } from './endpoint.ts';
import { sendError, sendUnavailable } from './send-error.ts';

/** Answers a request that a check refused, and logs the refusal. */
export function refuse(
  { faults }: Pick<Endpoint, 'faults'>,
  { reply, headers, id }: HttpExchange,
  { status, headers: more, error, check }: Refusal,
): void {
  faults({
    level: status === 403 ? 'warn' : 'info',
    event: 'request-refused',
    message: `A request was refused with status ${status} (${check}): ${error.message}`,
  });
  sendError(reply, status, error, { ...more, ...headers }, id);
}

/** Answers a request whose token is insufficient. */
export function sendDenial({ reply, headers }: HttpExchange, { status, message, headers: more }: Denial): void {
  sendError(reply, status, { code: CODE.invalidRequest, message }, { ...headers, ...more });
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

/** Does a body have a request, which is new work? */
export function hasRequest(body: Body): boolean {
  return body.kind === 'request' || (body.kind === 'batch' && body.messages.some(({ kind }) => kind === 'request'));
}
