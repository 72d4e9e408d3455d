import { ConnectionError, CODE, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, Notification } from '../protocol/jsonrpc.ts';
import { backOff } from './back-off.ts';
import type { Timer } from './clock.ts';
import type { Opening } from './conversation.ts';
import { listOfNotification, type ListName, topicsOf } from './topics.ts';
import type { Topics } from './topics.ts';

/** The subscriptions of a session: resources one by one; lists announce themselves. */
export interface Subscriptions {
  follow(topics: Topics): void;
  /** Takes a notification of a change; false for any other. */
  take(message: Notification): boolean;
}

const notOffered = (what: string): ProtocolError =>
  new ProtocolError(CODE.methodNotFound, `The server does not announce changes of ${what}`);

export const createSubscriptions = (
  { agreement: { capabilities }, listener, calls, report, settings: { clock } }: Opening,
  send: (method: string, uri: string) => Promise<JsonObject>,
): Subscriptions => {
  const subscribed = new Set<string>();
  const seen = new Set<ListName>();
  /** Subscriptions that got lost on the way, and are tried again. */
  const retries = new Map<string, Timer>();
  const stopRetry = (uri: string): void => {
    clock.clearTimeout(retries.get(uri));
    retries.delete(uri);
  };
  // The next connection subscribes to everything anew.
  void calls.ended.then(() => [...retries.keys()].forEach(stopRetry));

  const subscribe = (uri: string, failures = 0): void => {
    const topics = topicsOf([uri]);
    if (capabilities.resources?.subscribe !== true) return listener.refused(topics, notOffered('resources'));
    subscribed.add(uri);
    send('resources/subscribe', uri).then(
      () => listener.watching(topics),
      (error: Error) => {
        if (error instanceof ConnectionError) return retry(uri, failures + 1);
        subscribed.delete(uri);
        return listener.refused(topics, error);
      },
    );
  };

  /** Over HTTP a request may fail while the session lives on. */
  const retry = (uri: string, failures: number): void => {
    if (calls.broken || !subscribed.has(uri)) return;
    stopRetry(uri);
    const again = (): void => {
      retries.delete(uri);
      subscribe(uri, failures);
    };
    retries.set(uri, clock.setTimeout(again, backOff(failures)));
  };

  const unsubscribe = (uri: string): void => {
    subscribed.delete(uri);
    stopRetry(uri);
    send('resources/unsubscribe', uri).catch(() => {
      // It is no longer wanted either way; what still comes is ignored.
    });
  };

  const attend = (list: ListName): void => {
    seen.add(list);
    const topics = topicsOf([list]);
    if (capabilities[list]?.listChanged === true) listener.watching(topics);
    else listener.refused(topics, notOffered(`the list of ${list}`));
  };

  return {
    follow({ lists, uris }) {
      for (const uri of [...subscribed]) if (!uris.has(uri)) unsubscribe(uri);
      for (const uri of uris) if (!subscribed.has(uri)) subscribe(uri);
      for (const list of [...seen]) if (!lists.has(list)) seen.delete(list);
      for (const list of lists) if (!seen.has(list)) attend(list);
    },
    take({ method, params }) {
      const list = listOfNotification(method);
      const uri = params?.['uri'];
      if (list !== undefined) listener.listChanged(list);
      else if (method !== 'notifications/resources/updated') return false;
      else if (typeof uri === 'string') listener.updated(uri);
      else report('warn', 'bad-update', 'A notification that a resource changed names no resource and is ignored');
      return true;
    },
  };
};
