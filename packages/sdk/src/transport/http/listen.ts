import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Request } from '../../protocol/jsonrpc.ts';
import { settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import type { Change } from '../../server/changes.ts';
import { reportFailure } from '../../server/failure.ts';
import type { RunningCall } from '../connection/calls.ts';
import { createListen } from '../connection/listens.ts';
import type { Answer } from './answer.ts';
import type { Endpoint, Visit } from './endpoint.ts';

/** Open subscriptions of an endpoint. */
interface Listening {
  readonly principal: string | undefined;
  end(): void;
}

const LISTENING = new WeakMap<Endpoint, Set<Listening>>();

const listeningOf = (endpoint: Endpoint): Set<Listening> => {
  const found = LISTENING.get(endpoint) ?? new Set();
  LISTENING.set(endpoint, found);
  return found;
};

/** Ends all subscriptions of an endpoint in good order: with the result that says so. */
export const endListening = (endpoint: Endpoint): void => {
  for (const listening of listeningOf(endpoint)) listening.end();
};

/** Too many subscriptions? A principal has a bound of its own; everybody together that of streams. */
const checkRoom = ({ engine: { limits } }: Endpoint, open: Set<Listening>, principal: string | undefined): void => {
  let own = 0;
  if (principal !== undefined) for (const one of open) if (one.principal === principal) own++;
  if (own >= limits.subscriptions || open.size >= limits.sessions)
    throw new ProtocolError(
      CODE.internalError,
      `Too many subscriptions: the limit is ${own >= limits.subscriptions ? limits.subscriptions : limits.sessions}`,
    );
};

/** Serves `subscriptions/listen`: the answer is a stream of what changes, until either side ends it. */
export const listen = async (
  endpoint: Endpoint,
  { principal }: Visit,
  message: Request,
  call: RunningCall,
  answer: Answer,
): Promise<void> => {
  const { engine } = endpoint;
  const open = listeningOf(endpoint);
  checkRoom(endpoint, open, principal?.id);
  const subscription = await createListen(engine, message.params ?? {}, call);
  if (call.cancelled) return;
  checkRoom(endpoint, open, principal?.id);
  if (endpoint.draining) return answer.finish(200, subscription.farewell());
  void answer.send(subscription.acknowledgement);

  const tell = (change: Change): void => void answer.send(subscription.notice(change));
  const forget = endpoint.onChange((change) => {
    if (!subscription.wants(change)) return;
    if (!('uri' in change)) return tell(change);
    // What the client could see when it subscribed may be hidden from it by now.
    void settle<boolean, void>(
      () => engine.hasResource(change.uri, { principal }),
      (there) => {
        if (there) tell(change);
      },
      (error) => void reportFailure(`Looking for '${shown(change.uri)}', which changed,`, error, engine.log),
    );
  });
  const leave = (): void => {
    forget();
    open.delete(listening);
  };
  const listening: Listening = {
    principal: principal?.id,
    end() {
      leave();
      call.end();
      answer.finish(200, subscription.farewell());
    },
  };
  open.add(listening);
  call.signal.addEventListener('abort', leave, { once: true });
};
