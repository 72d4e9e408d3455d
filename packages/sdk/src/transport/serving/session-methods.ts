import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { isLogLevel } from '../../protocol/log.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import type { Engine } from '../../server/engine.ts';
import { notFound } from '../../server/methods/not-found.ts';
import type { ServerCall } from './server-call.ts';
import type { Session } from './session.ts';
import { tooManyUris } from './updates.ts';

type SessionMethod = (session: Session, engine: Engine, call: ServerCall) => Promise<void> | void;

function uriOf({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw new ProtocolError(CODE.invalidParams, '"uri" must be a string');
  return uri;
}

/** Requests of legacy clients that change the session, and are answered with an empty result. */
export const SESSION_METHODS: ReadonlyMap<string, SessionMethod> = new Map<string, SessionMethod>([
  [
    'logging/setLevel',
    (session, _, { params: { level } }) => {
      if (!isLogLevel(level)) throw new ProtocolError(CODE.invalidParams, `Unknown log level: ${shown(level)}`);
      session.level = level;
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

/** Makes a change of a session, and stores it where sessions are shared. */
export type ChangeSession = (act: () => Maybe<void>) => Maybe<void>;

/** The text of the result of a request in a session. `change` wraps functions that change the session. */
export function answerInSession(
  engine: Engine,
  session: Session,
  call: ServerCall,
  change: ChangeSession,
): Maybe<string> {
  const { method } = call;
  if (method === 'ping') return '{}';
  const act = SESSION_METHODS.get(method);
  if (act === undefined || !engine.has(method, call.revision)) return engine.answer(method, call.params, call);
  return andThen(
    change(() => act(session, engine, call)),
    () => '{}',
  );
}
