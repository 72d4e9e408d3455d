import { ConnectionError, CODE, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, Notification } from '../protocol/jsonrpc.ts';
import { askedDelay, backOff } from './back-off.ts';
import type { Timer } from './clock.ts';
import type { ConnectionContext } from './server-connection.ts';
import { topicsOf } from './topic-names.ts';
import { listOfNotification, type ListName } from './topics.ts';
import type { Topics } from './topics.ts';

/** The subscriptions of a legacy connection: one request for each resource; lists need none. */
export interface LegacySubscriptions {
  setTopics(topics: Topics): void;
  /** Handles a notification of a change. Returns false for any other notification. */
  handleNotification(message: Notification): boolean;
}

function notOffered(what: string): ProtocolError {
  return new ProtocolError(CODE.methodNotFound, `The server does not announce changes of ${what}`);
}

export function createLegacySubscriptions(
  { agreement: { capabilities }, listener, rpc, report, settings: { clock } }: ConnectionContext,
  send: (method: string, uri: string) => Promise<JsonObject>,
): LegacySubscriptions {
  const subscribed = new Set<string>();
  const watchedLists = new Set<ListName>();
  /** Timers of subscriptions that failed and will be tried again. */
  const retries = new Map<string, Timer>();
  const stopRetry = (uri: string): void => {
    clock.clearTimeout(retries.get(uri));
    retries.delete(uri);
  };
  // The next connection subscribes to everything again.
  void rpc.ended.then(() => [...retries.keys()].forEach(stopRetry));

  const subscribe = (uri: string, failures = 0): void => {
    const topics = topicsOf([uri]);
    if (capabilities.resources?.subscribe !== true) return listener.refused(topics, notOffered('resources'));
    subscribed.add(uri);
    send('resources/subscribe', uri).then(
      () => listener.watching(topics),
      (error: Error) => {
        if (error instanceof ConnectionError) return retry(uri, failures + 1, error.retryAfterMs);
        subscribed.delete(uri);
        return listener.refused(topics, error);
      },
    );
  };

  /** Over HTTP a request may fail while the session continues. */
  const retry = (uri: string, failures: number, asked: number | undefined): void => {
    if (rpc.broken || !subscribed.has(uri)) return;
    stopRetry(uri);
    const run = (): void => {
      retries.delete(uri);
      subscribe(uri, failures);
    };
    retries.set(uri, clock.setTimeout(run, Math.max(backOff(failures), askedDelay(asked))));
  };

  const unsubscribe = (uri: string): void => {
    subscribed.delete(uri);
    stopRetry(uri);
    send('resources/unsubscribe', uri).catch(() => {
      // Its updates are ignored anyway, so a failure does not matter.
    });
  };

  const watchList = (list: ListName): void => {
    watchedLists.add(list);
    const topics = topicsOf([list]);
    if (capabilities[list]?.listChanged === true) listener.watching(topics);
    else listener.refused(topics, notOffered(`the list of ${list}`));
  };

  return {
    setTopics({ lists, uris }) {
      for (const uri of [...subscribed]) if (!uris.has(uri)) unsubscribe(uri);
      for (const uri of uris) if (!subscribed.has(uri)) subscribe(uri);
      for (const list of [...watchedLists]) if (!lists.has(list)) watchedLists.delete(list);
      for (const list of lists) if (!watchedLists.has(list)) watchList(list);
    },
    handleNotification({ method, params }) {
      const list = listOfNotification(method);
      const uri = params?.['uri'];
      if (list !== undefined) listener.listChanged(list);
      else if (method !== 'notifications/resources/updated') return false;
      else if (typeof uri === 'string') listener.updated(uri);
      else report('warn', 'bad-update', 'An update of a resource without a URI is ignored');
      return true;
    },
  };
}
