import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { ConnectionError, CODE, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, Notification } from '../protocol/jsonrpc.ts';
import type { Listener } from './conversation.ts';
import { listOfNotification, type ListName, topic } from './topics.ts';
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
  capabilities: ServerCapabilities,
  listener: Listener,
  send: (method: string, uri: string) => Promise<JsonObject>,
): Subscriptions => {
  const subscribed = new Set<string>();
  const seen = new Set<ListName>();

  const subscribe = (uri: string): void => {
    const topics = topic(uri);
    if (capabilities.resources?.subscribe !== true) return listener.refused(topics, notOffered('resources'));
    subscribed.add(uri);
    send('resources/subscribe', uri).then(
      () => listener.watching(topics),
      (error: Error) => {
        subscribed.delete(uri);
        // Whoever is gone is told by the connection.
        if (!(error instanceof ConnectionError)) listener.refused(topics, error);
      },
    );
  };

  const unsubscribe = (uri: string): void => {
    subscribed.delete(uri);
    send('resources/unsubscribe', uri).catch(() => {
      // It is no longer wanted either way; what still comes is ignored.
    });
  };

  const attend = (list: ListName): void => {
    seen.add(list);
    const topics = topic(list);
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
      if (list !== undefined) listener.listChanged(list);
      else if (method === 'notifications/resources/updated') listener.updated(String(params?.['uri']));
      else return false;
      return true;
    },
  };
};
