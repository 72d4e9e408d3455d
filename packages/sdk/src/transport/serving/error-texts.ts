import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { ErrorObject, RequestId } from '../../protocol/jsonrpc.ts';
import type { Logger } from '../../protocol/log.ts';
import type { Revision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import type { Engine } from '../../server/engine.ts';
import { reportFailure } from '../../server/report-failure.ts';
import { encodeError } from '../../wire/errors.ts';
import { errorText } from '../../wire/text.ts';
import { idToRepeat, type InvalidMessage } from './message.ts';

/** The text of the error response to a request. It never throws, whatever a handler threw. */
export function failureText(
  { log }: Engine,
  { id, method }: { readonly id: RequestId; readonly method: string },
  error: unknown,
  revision?: Revision,
): string {
  try {
    const object = errorObjectOf(log, shown(method), error);
    return errorText(id, revision === undefined ? object : encodeError(object, revision));
  } catch (cause) {
    // Error data that JSON cannot express, or an object that throws when it is read.
    return errorText(id, errorObjectOf(log, shown(method), cause));
  }
}

/** The text of the response to a value that is not a message; undefined if it gets none. */
export function invalidText(message: InvalidMessage): string | undefined {
  // A notification gets no answer, not even an error ("Notifications" of the base protocol).
  if (message.meant === 'notification') return undefined;
  return errorText(idToRepeat(message), { code: CODE.invalidRequest, message: message.reason });
}

/** The error object for the peer: a `ProtocolError` unchanged; for any other error only the id under which it is logged. */
export function errorObjectOf(log: Logger, what: string, error: unknown): ErrorObject {
  if (error instanceof ProtocolError) return error.toJSON();
  const id = reportFailure(what, error, log);
  return {
    code: CODE.internalError,
    message: `Internal error. The details are in the server's log under error ${id}.`,
  };
}
