import type { Denial } from '../../protocol/auth.ts';
import { CODE } from '../../protocol/errors.ts';
import type { ErrorObject, RequestId } from '../../protocol/jsonrpc.ts';
import type { Engine } from '../../server/engine.ts';
import { errorText } from '../../wire/text.ts';
import { errorObjectOf } from '../serving/failure.ts';
import type { Refusal } from './admission.ts';
import type { HttpCall } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { type Headers, type HttpReply, JSON_TYPE } from './message.ts';

/** Statuses after which nothing more is read of the connection: there may be a body that will not be used. */
const LAST: ReadonlySet<number> = new Set([401, 403, 413, 503]);

/** Answers with an error that no method gave. */
export function sendError(
  reply: HttpReply,
  status: number,
  error: ErrorObject,
  headers: Headers | undefined,
  id?: RequestId,
): void {
  sendErrorText(reply, status, errorText(id, error), headers);
}

/** The same for an error that is text already. */
export function sendErrorText(reply: HttpReply, status: number, text: string, headers: Headers | undefined): void {
  reply.send(status, { ...JSON_TYPE, ...headers }, text, LAST.has(status));
}

/** Answers a request that a check refused, and tells the operator. */
export function refuse(
  { faults }: Pick<Endpoint, 'faults'>,
  { reply, headers, id }: HttpCall,
  { status, headers: more, error, check }: Refusal,
): void {
  faults({
    level: status === 403 ? 'warn' : 'info',
    event: 'request-refused',
    message: `A request was refused with status ${status} (${check}): ${error.message}`,
  });
  sendError(reply, status, error, { ...more, ...headers }, id);
}

/** Answers that a token is not enough. */
export function sendDenial({ reply, headers }: HttpCall, { status, message, headers: more }: Denial): void {
  sendError(reply, status, { code: CODE.invalidRequest, message }, { ...headers, ...more });
}

/** Answers a request that failed for reasons of the server: the details are in its log. */
export function failRequest({ log }: Engine, { reply, headers }: Pick<HttpCall, 'reply' | 'headers'>, error: unknown): void {
  const object = errorObjectOf(log, 'An HTTP request', error);
  if (!reply.closed) sendError(reply, 500, object, headers);
}
