import { ProtocolError } from '../../protocol/errors.ts';
import { settle } from '../../protocol/maybe.ts';
import { createContext } from '../../server/call-context.ts';
import type { Engine } from '../../server/engine.ts';
import { reportFailure } from '../../server/report-failure.ts';
import { hasClaim, readClaim } from '../../wire/claim.ts';
import type { IncomingNotification } from './message.ts';
import { ServerCall } from './server-call.ts';

/** How many handlers run for each sender. */
const RUNNING = new WeakMap<object, number>();

/** Does a notification identify its sender in `_meta`, as requests do since 2026-07-28? */
export function isClaimed(engine: Engine, { meta }: IncomingNotification): boolean {
  return engine.supported.modern.length > 0 && hasClaim(meta);
}

/** The call that serves as context for the handler of such a notification. Throws a `ProtocolError` for an invalid claim. */
function claimedCall(
  engine: Engine,
  message: IncomingNotification,
  { caller, writer, header }: ServerCall,
): ServerCall {
  const { principal, quotaKey, session } = caller;
  const claimed = { ...readClaim(message.meta, engine.supported), principal, quotaKey, session };
  return new ServerCall({ ...message, id: '' }, claimed, writer, header);
}

/**
 * Runs the server's own handler of a notification, if it has one. `call` is the context of the handler, without the claim of the message. A
 * sender may run as many handlers as calls; further notifications are dropped, because no answer is expected. They are counted by `sender`.
 */
export function handleNotification(
  engine: Engine,
  message: IncomingNotification,
  call: ServerCall,
  sender: object = call.caller,
): void {
  const { method, params } = message;
  const handler = engine.of.notifications.get(method);
  if (handler === undefined) return;
  const running = RUNNING.get(sender) ?? 0;
  if (running >= engine.limits.inFlight)
    return engine.log({
      level: 'warn',
      event: 'overload',
      message: `Too many ${method}`,
    });
  RUNNING.set(sender, running + 1);
  const ended = (): void => void RUNNING.set(sender, RUNNING.get(sender)! - 1);
  void settle<unknown, void>(
    () => handler(params, createContext(isClaimed(engine, message) ? claimedCall(engine, message, call) : call)),
    ended,
    (error) => {
      ended();
      if (error instanceof ProtocolError)
        engine.log({ level: 'warn', event: 'invalid-message', message: `${method}: ${error.message}` });
      else reportFailure(method, error, engine.log);
    },
  );
}
