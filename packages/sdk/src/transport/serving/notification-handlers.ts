import { ProtocolError } from '../../protocol/errors.ts';
import { settle } from '../../protocol/maybe.ts';
import { createContext } from '../../server/call-context.ts';
import type { Engine } from '../../server/engine.ts';
import { reportFailure } from '../../server/report-failure.ts';
import type { IncomingNotification } from './message.ts';
import type { ServerCall } from './server-call.ts';

/** How many handlers run for each sender. */
const RUNNING = new WeakMap<object, number>();

/**
 * Runs the server's own handler of a notification, if it has one. `call` is what the handler sends and knows. A sender may keep as many
 * handlers busy as it may have calls; further notifications are dropped, because nobody waits for an answer to them. `sender` is what they are
 * counted for.
 */
export function handleNotification(
  engine: Engine,
  { method, params }: Pick<IncomingNotification, 'method' | 'params'>,
  call: ServerCall,
  sender: object = call.caller,
): void {
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
    () => handler(params, createContext(call)),
    ended,
    (error) => {
      ended();
      if (error instanceof ProtocolError)
        engine.log({ level: 'warn', event: 'invalid-message', message: `${method}: ${error.message}` });
      else reportFailure(method, error, engine.log);
    },
  );
}
