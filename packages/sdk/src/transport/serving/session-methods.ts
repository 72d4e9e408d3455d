import { isLogLevel } from '../../protocol/log.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import type { MessageText } from '../../protocol/message-text.ts';
import type { Engine, RawResult } from '../../server/engine.ts';
import type { ServerCall } from './server-call.ts';
import type { Session } from './session.ts';

/** Requests of legacy clients that change the session, and are answered with an empty result. */
export const SESSION_METHODS: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Makes a change of a session, and stores it where sessions are shared. */
export type ChangeSession = (act: () => Maybe<void>) => Maybe<void>;

/** The text of the result of a request in a session. `change` wraps functions that change the session. */
export function answerInSession(
  engine: Engine,
  session: Session,
  call: ServerCall,
  change: ChangeSession,
): Maybe<MessageText> {
  const { method } = call;
  if (method === 'ping') return '{}';
  if (!SESSION_METHODS.has(method) || !engine.has(method, call.revision))
    return engine.answer(method, call.params, call);
  return engine.answer(method, call.params, call, () =>
    andThen(changeSession(engine, session, call, change), () => EMPTY),
  );
}

const EMPTY: RawResult = { text: '' };

function changeSession(engine: Engine, session: Session, call: ServerCall, change: ChangeSession): Maybe<void> {
  const { level } = call.params;
  // At once: it counts for the next call.
  if (call.method === 'logging/setLevel' && isLogLevel(level)) return change(() => void (session.level = level));
  // Loaded on demand: most clients never send one.
  return import('./change-session.ts').then((loaded) => change(() => loaded.changeSession(session, engine, call)));
}
