import { CODE, PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import { isObject, isRequestId, type JsonObject, type Notification, type RequestId } from '../protocol/jsonrpc.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { shown } from '../protocol/text.ts';
import { backOff } from './back-off.ts';
import { type Timer } from './clock.ts';
import type { Opening } from './conversation.ts';
import type { Terms } from './correlate.ts';
import {
  concerns,
  isEmpty,
  listOfNotification,
  type ListName,
  NO_TOPICS,
  sameTopics,
  type Topics,
  without,
} from './topics.ts';

/** The subscriptions of an exchange: one `subscriptions/listen` for everything that is watched. */
export interface Listens {
  follow(topics: Topics): void;
  /** Takes a notification that belongs, or claims to belong, to a subscription; false for any other. */
  take(message: Notification): boolean;
}

interface Listen {
  readonly id: number;
  readonly asked: Topics;
  readonly cancel: AbortController;
  /** What the server acknowledged; undefined before. */
  granted: Topics | undefined;
  /** When it was acknowledged. */
  since: number;
}

const FILTER: ReadonlyMap<ListName, string> = new Map([
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
]);

const filterOf = ({ lists, uris }: Topics): JsonObject => ({
  ...Object.fromEntries([...lists].map((list) => [FILTER.get(list)!, true])),
  ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }),
});

/** What of `asked` a server acknowledged. */
const grantedOf = (asked: Topics, filter: unknown): Topics => {
  if (!isObject(filter)) return NO_TOPICS;
  const uris = filter['resourceSubscriptions'];
  const granted = new Set<unknown>(Array.isArray(uris) ? uris : []);
  return {
    lists: new Set([...asked.lists].filter((list) => filter[FILTER.get(list)!] === true)),
    uris: new Set([...asked.uris].filter((uri) => granted.has(uri))),
  };
};

/** A listen that lived so long was a good one: the next failure is the first again. */
const GOOD_MS = 60_000;

/**
 * Keeps one subscription open for what is wanted. When that changes, a new one is opened before the old one is cancelled, so nothing is missed
 * in between. One that the server ends is opened again. See "Subscriptions" of the specification.
 */
export const createListens = (
  { calls, settings, listener, report }: Opening,
  send: (id: number, params: JsonObject, terms: Terms) => Promise<JsonObject>,
): Listens => {
  const { clock } = settings;
  const open = new Map<RequestId, Listen>();
  let wanted = NO_TOPICS;
  let current: Listen | undefined;
  let opening: Listen | undefined;
  let scheduled = false;
  let failures = 0;
  let timer: Timer;
  let waiting = false;
  let over = false;

  const end = (listen: Listen): void => {
    open.delete(listen.id);
    if (current === listen) current = undefined;
    if (opening === listen) opening = undefined;
  };

  const drop = (listen: Listen | undefined): void => {
    if (listen === undefined) return;
    end(listen);
    listen.cancel.abort('no longer watched');
  };

  const schedule = (): void => {
    if (scheduled || waiting || over) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      refresh();
    });
  };

  const refresh = (): void => {
    if (over || opening !== undefined) return;
    if (isEmpty(wanted)) return drop(current);
    if (current !== undefined && sameTopics(current.granted!, wanted)) return;
    start(wanted);
  };

  const start = (asked: Topics): void => {
    const listen: Listen = { id: calls.nextId(), asked, cancel: new AbortController(), granted: undefined, since: 0 };
    open.set(listen.id, listen);
    opening = listen;
    const late = clock.setTimeout(() => {
      if (listen.granted === undefined)
        failed(listen, new TimeoutError('The server did not acknowledge the subscription in time'), true);
    }, settings.timeout);
    send(
      listen.id,
      { notifications: filterOf(asked) },
      { timeout: Infinity, last: Infinity, signal: listen.cancel.signal },
    )
      .then(
        () => ended(listen),
        (error: Error) => failed(listen, error, false),
      )
      .finally(() => clock.clearTimeout(late));
  };

  /** The subscription is over although it is wanted. */
  const ended = (listen: Listen): void => {
    if (open.get(listen.id) !== listen) return;
    const lived = listen.granted === undefined ? 0 : clock.now() - listen.since;
    end(listen);
    if (listen.granted !== undefined && current === undefined) listener.lost(listen.granted);
    failures = lived >= GOOD_MS ? 0 : failures + 1;
    waiting = true;
    timer = clock.setTimeout(() => {
      waiting = false;
      refresh();
    }, backOff(failures));
  };

  const failed = (listen: Listen, error: Error, cancel: boolean): void => {
    if (open.get(listen.id) !== listen) return;
    if (error.name === 'ConnectionError' || listen.granted !== undefined) return ended(listen);
    end(listen);
    if (cancel) listen.cancel.abort('timeout');
    listener.refused(listen.asked, error);
    schedule();
  };

  const acknowledged = (listen: Listen, params: JsonObject | undefined): void => {
    if (listen.granted !== undefined)
      return report('warn', 'bad-subscription', 'A subscription was acknowledged twice');
    listen.granted = grantedOf(listen.asked, params?.['notifications']);
    listen.since = clock.now();
    opening = undefined;
    drop(current);
    current = listen;
    const missing = without(listen.asked, listen.granted);
    listener.watching(listen.granted);
    if (!isEmpty(missing))
      listener.refused(missing, new ProtocolError(CODE.methodNotFound, 'The server does not announce changes of this'));
    if (isEmpty(listen.granted)) drop(listen);
    schedule();
  };

  const unsolicited = (method: string): true => {
    report('warn', 'unsolicited', `A change nobody asked to be told of is ignored: ${shown(method, 60)}`);
    return true;
  };

  const changed = (listen: Listen, method: string, params: JsonObject | undefined): void => {
    const list = listOfNotification(method);
    const uri = params?.['uri'];
    if (list !== undefined && listen.granted!.lists.has(list)) listener.listChanged(list);
    else if (
      list === undefined &&
      typeof uri === 'string' &&
      [...listen.granted!.uris].some((watched) => concerns(watched, uri))
    )
      listener.updated(uri);
    else unsolicited(method);
  };

  void calls.ended.then(() => {
    over = true;
    clock.clearTimeout(timer);
  });

  return {
    follow(topics) {
      wanted = topics;
      schedule();
    },
    take({ method, params }) {
      if (method === 'notifications/cancelled') {
        const id = params?.['requestId'];
        const listen = isRequestId(id) ? open.get(id) : undefined;
        if (listen === undefined) return unsolicited(method);
        calls.fail(listen.id, new PeerError('The server ended the subscription'));
        return true;
      }
      const about = method === 'notifications/resources/updated' || listOfNotification(method) !== undefined;
      const isAck = method === 'notifications/subscriptions/acknowledged';
      if (!about && !isAck) return false;
      const id = metaOf(params)[META.subscriptionId];
      const listen = isRequestId(id) ? open.get(id) : undefined;
      if (listen === undefined || (about && listen.granted === undefined)) return unsolicited(method);
      if (isAck) acknowledged(listen, params);
      else changed(listen, method, params);
      return true;
    },
  };
};
