import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Engine } from '../../server/engine.ts';

/** The error for a client that wants to watch more resources than it may. */
export function tooManyUris({ limits }: Engine): ProtocolError {
  return new ProtocolError(CODE.invalidParams, `A connection may watch at most ${limits.subscriptionUris} resources`);
}
