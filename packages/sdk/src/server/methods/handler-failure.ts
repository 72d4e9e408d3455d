import { CODE, ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { Engine } from '../engine.ts';
import { reportFailure } from '../report-failure.ts';

/** The error a peer receives when a resource, a prompt or a completion failed: the author's own message, or a short id. */
export function handlerFailure(engine: Engine, request: RequestContext, what: string, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof ToolError) return new ProtocolError(CODE.internalError, error.message);
  return new ProtocolError(
    CODE.internalError,
    `${what} failed. The details are in the server's log under error ${reportFailure(what, error, engine.log, request)}.`,
  );
}
