import type { Denial } from '../../protocol/auth.ts';
import { CODE } from '../../protocol/errors.ts';
import type { ErrorObject, RequestId } from '../../protocol/jsonrpc.ts';
import { reportFailure } from '../../server/failure.ts';
import { errorText } from '../../wire/text.ts';
import type { Endpoint, Visit } from './endpoint.ts';
import type { Refusal } from './ladder-rung.ts';
import { type Headers, type HttpReply, JSON_TYPE } from './message.ts';

/** Statuses after which nothing of the connection is read any more: there may be a body, and nobody asked for it. */
const LAST: ReadonlySet<number> = new Set([401, 403, 413, 503]);

/** Answers with an error that is no answer of a method. */
export const sendError = (
  reply: HttpReply,
  status: number,
  error: ErrorObject,
  headers: Headers | undefined,
  id?: RequestId,
): void => reply.send(status, { ...JSON_TYPE, ...headers }, errorText(id, error), LAST.has(status));

/** Answers a request that is held against the rules and fails, and tells the operator. */
export const refuse = (
  { faults }: Endpoint,
  reply: HttpReply,
  { status, headers, error, rung }: Refusal,
  more: Headers | undefined,
  id?: RequestId,
): void => {
  faults({
    level: status === 403 ? 'warn' : 'info',
    event: 'request-refused',
    message: `A request was refused with status ${status} (${rung}): ${error.message}`,
  });
  sendError(reply, status, error, { ...headers, ...more }, id);
};

/** Why no more calls are begun now; undefined when there is room for one. */
export const overload = ({ load, engine }: Endpoint): ErrorObject | undefined =>
  load.running < engine.limits.calls
    ? undefined
    : { code: CODE.internalError, message: 'Too many calls are running: try again later' };

/** Answers that a token is not enough. */
export const sendDenial = ({ reply, headers }: Visit, { status, message, headers: more }: Denial): void =>
  sendError(reply, status, { code: CODE.invalidRequest, message }, { ...headers, ...more });

/** An error that is nobody's fault but the server's: the details are in its log. */
export const failRequest = (
  endpoint: Pick<Endpoint, 'engine'>,
  reply: HttpReply,
  headers: Visit['headers'],
  error: unknown,
): void => {
  const id = reportFailure('An HTTP request', error, endpoint.engine.log);
  const message = `Internal error. The details are in the server's log under error ${id}.`;
  if (!reply.closed) sendError(reply, 500, { code: CODE.internalError, message }, headers);
};
