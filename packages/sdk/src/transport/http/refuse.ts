import type { Denial } from '../../protocol/auth.ts';
import { CODE } from '../../protocol/errors.ts';
import type { Engine } from '../../server/engine.ts';
import { errorObjectOf } from '../serving/error-texts.ts';
import type { Refusal } from './run-checks.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { Endpoint } from './endpoint.ts';
import { sendError } from './send-error.ts';

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
  { log }: Engine,
  { reply, headers }: Pick<HttpExchange, 'reply' | 'headers'>,
  error: unknown,
): void {
  const object = errorObjectOf(log, 'An HTTP request', error);
  if (!reply.closed) sendError(reply, 500, object, headers);
}
