import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Maybe } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import type { Engine } from '../../server/engine.ts';
import { notFound } from '../../server/methods/not-found.ts';
import type { ServerCall } from './server-call.ts';
import type { Session } from './session.ts';
import { tooManyUris } from './too-many-uris.ts';

type SessionMethod = (session: Session, engine: Engine, call: ServerCall) => Promise<void> | void;

function uriOf({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw new ProtocolError(CODE.invalidParams, '"uri" must be a string');
  return uri;
}

const ACTS: ReadonlyMap<string, SessionMethod> = new Map<string, SessionMethod>([
  [
    'logging/setLevel',
    // A valid level is set before this code is loaded.
    (_session, _engine, { params: { level } }) => {
      throw new ProtocolError(CODE.invalidParams, `Unknown log level: ${shown(level)}`);
    },
  ],
  [
    'resources/subscribe',
    async (session, engine, call) => {
      const uri = uriOf(call.params);
      if (!(await engine.hasResource(uri, call))) throw notFound(uri, call);
      if (session.subscribed.size >= engine.limits.subscriptionUris && !session.subscribed.has(uri))
        throw tooManyUris(engine);
      session.subscribe(uri);
    },
  ],
  ['resources/unsubscribe', (session, _, { params }) => session.unsubscribe(uriOf(params))],
]);

/** Executes a request of `SESSION_METHODS`. Throws or rejects with the error of the request. */
export function changeSession(session: Session, engine: Engine, call: ServerCall): Maybe<void> {
  return ACTS.get(call.method)!(session, engine, call);
}
