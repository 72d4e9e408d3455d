import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { ErrorObject, Request } from '../../protocol/jsonrpc.ts';
import type { Revision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import type { Engine } from '../../server/engine.ts';
import { reportFailure } from '../../server/failure.ts';
import { encodeError } from '../../wire/errors.ts';
import { errorText } from '../../wire/text.ts';

/** The text of the error response to a request. It never throws, whatever a handler threw. */
export const failureText = (
  engine: Engine,
  { id, method }: Pick<Request, 'id' | 'method'>,
  error: unknown,
  revision?: Revision,
): string => {
  try {
    const told = errorOf(engine, method, error);
    return errorText(id, revision === undefined ? told : encodeError(told, revision));
  } catch (cause) {
    // Data that JSON cannot say, or an object that throws when it is looked at.
    return errorText(id, errorOf(engine, method, cause));
  }
};

const errorOf = ({ log }: Engine, method: string, error: unknown): ErrorObject => {
  if (error instanceof ProtocolError) return error.toJSON();
  return {
    code: CODE.internalError,
    message: `Internal error. The details are in the server's log under error ${reportFailure(shown(method), error, log)}.`,
  };
};
