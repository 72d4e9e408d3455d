import { CODE, ConnectionError, PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import { isObject, isRequestId, type JsonObject, type Notification, type RequestId } from '../protocol/jsonrpc.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { backOff } from './back-off.ts';
import type { Timer } from './clock.ts';
import type { ConnectionContext } from './server-connection.ts';
import type { RequestOptions } from './rpc-connection.ts';
import { reportUnsolicited } from './notifications.ts';
import {
  coversUri,
  isEmpty,
  namesOf,
  listOfNotification,
  type ListName,
  NO_TOPICS,
  sameTopics,
  type Topics,
  without,
} from './topics.ts';

/** One `subscriptions/listen` request. */
interface Subscription {
  readonly id: number;
  readonly requested: Topics;
  readonly cancel: AbortController;
  /** What the server acknowledged; undefined before that. */
  granted: Topics | undefined;
  /** When it was acknowledged, on the client's clock. */
  grantedAt: number;
}

const FILTER: ReadonlyMap<ListName, string> = new Map([
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
]);

function filterOf({ lists, uris }: Topics): JsonObject {
  return {
    ...Object.fromEntries([...lists].map((list) => [FILTER.get(list)!, true])),
    resourceSubscriptions: uris.size === 0 ? undefined : [...uris],
  };
}

/** The part of the requested topics that the server acknowledged. */
function grantedOf(requested: Topics, filter: unknown): Topics {
  if (!isObject(filter)) return NO_TOPICS;
  const uris = filter['resourceSubscriptions'];
  const granted = new Set<unknown>(Array.isArray(uris) ? uris : []);
  return {
    lists: new Set([...requested.lists].filter((list) => filter[FILTER.get(list)!] === true)),
    uris: new Set([...requested.uris].filter((uri) => granted.has(uri))),
  };
}

function covers({ lists, uris }: Topics, list: ListName | undefined, uri: unknown): boolean {
  return list === undefined
    ? typeof uri === 'string' && [...uris].some((watched) => coversUri(watched, uri))
    : lists.has(list);
}

/** After a subscription has been open for this long, the next failure counts as the first again. */
const STABLE_MS = 60_000;

type Send = (id: number, params: JsonObject, requestOptions: RequestOptions) => Promise<JsonObject>;

/**
 * The subscriptions of a modern connection: keeps one `subscriptions/listen` open for all topics. When the topics change, a new one is
 * opened before the old one is cancelled, so that no change is missed. One that the server ends is opened again. See "Subscriptions" of the
 * specification.
 */
export class ModernSubscriptions {
  readonly #context: ConnectionContext;
  readonly #send: Send;
  readonly #open = new Map<RequestId, Subscription>();
  #topics = NO_TOPICS;
  /** The acknowledged subscription, and the one that will replace it. */
  #current: Subscription | undefined;
  #next: Subscription | undefined;
  #scheduled = false;
  #failures = 0;
  /** Set while a new subscription has to wait. */
  #retryTimer: Timer;
  #isOver = false;

  constructor(context: ConnectionContext, send: Send) {
    this.#context = context;
    this.#send = send;
    void context.rpc.ended.then(() => {
      this.#isOver = true;
      context.settings.clock.clearTimeout(this.#retryTimer);
    });
  }

  /** Makes the server announce changes of exactly these. */
  setTopics(topics: Topics): void {
    this.#topics = topics;
    this.#schedule();
  }

  /** Handles a notification that names a subscription. */
  handleNotification({ method, params }: Notification): void {
    if (method === 'notifications/cancelled') return this.#cancelled(params);
    const list = listOfNotification(method);
    const isAck = method === 'notifications/subscriptions/acknowledged';
    const id = metaOf(params)[META.subscriptionId];
    const subscription = isRequestId(id) ? this.#open.get(id) : undefined;
    if (subscription === undefined) reportUnsolicited(this.#context.report, method);
    else if (isAck) this.#acknowledged(subscription, params);
    else this.#changed(subscription, method, list, params?.['uri']);
  }

  /** Combines all changes of the topics in the same turn of the event loop. */
  #schedule(): void {
    if (this.#scheduled || this.#retryTimer !== undefined || this.#isOver) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#refresh();
    });
  }

  #refresh(): void {
    if (this.#isOver || this.#next !== undefined) return;
    if (isEmpty(this.#topics)) return this.#drop(this.#current);
    if (this.#current === undefined || !sameTopics(this.#current.granted!, this.#topics)) this.#start(this.#topics);
  }

  #start(requested: Topics): void {
    const { rpc, settings } = this.#context;
    const { clock, timeout } = settings;
    const subscription: Subscription = {
      id: rpc.nextId(),
      requested,
      cancel: new AbortController(),
      granted: undefined,
      grantedAt: 0,
    };
    this.#open.set(subscription.id, subscription);
    this.#next = subscription;
    const late = clock.setTimeout(() => this.#onAckTimeout(subscription), timeout);
    const requestOptions = { timeout: Infinity, deadline: Infinity, signal: subscription.cancel.signal };
    this.#send(subscription.id, { notifications: filterOf(requested) }, requestOptions)
      .then(
        () => this.#ended(subscription),
        (error: Error) => this.#failed(subscription, error),
      )
      .finally(() => clock.clearTimeout(late));
  }

  #onAckTimeout(subscription: Subscription): void {
    if (subscription.granted !== undefined) return;
    this.#failed(
      subscription,
      new TimeoutError('watch-timeout', 'The server did not acknowledge the subscription in time'),
    );
    subscription.cancel.abort('timeout');
  }

  #acknowledged(subscription: Subscription, params: JsonObject | undefined): void {
    const { listener, report, settings } = this.#context;
    if (subscription.granted !== undefined) {
      return report('warn', 'bad-subscription', 'A subscription was acknowledged twice');
    }
    subscription.granted = grantedOf(subscription.requested, params?.['notifications']);
    subscription.grantedAt = settings.clock.now();
    this.#next = undefined;
    this.#drop(this.#current);
    this.#current = subscription;
    const missing = without(subscription.requested, subscription.granted);
    listener.watching(subscription.granted);
    if (!isEmpty(missing)) {
      const what = namesOf(missing).join(', ');
      listener.refused(
        missing,
        new ProtocolError(CODE.methodNotFound, `The server does not announce changes of ${what}`),
      );
    }
    if (isEmpty(subscription.granted)) this.#drop(subscription);
    this.#schedule();
  }

  #changed(subscription: Subscription, method: string, list: ListName | undefined, uri: unknown): void {
    const { listener } = this.#context;
    if (subscription.granted === undefined || !covers(subscription.granted, list, uri))
      reportUnsolicited(this.#context.report, method);
    else if (list === undefined) listener.updated(uri as string);
    else listener.listChanged(list);
  }

  #cancelled(params: JsonObject | undefined): void {
    const id = params?.['requestId'];
    const subscription = isRequestId(id) ? this.#open.get(id) : undefined;
    if (subscription === undefined) reportUnsolicited(this.#context.report, 'notifications/cancelled');
    else this.#context.rpc.fail(subscription.id, new PeerError('watch-ended', 'The server ended the subscription'));
  }

  #failed(subscription: Subscription, error: Error): void {
    if (this.#open.get(subscription.id) !== subscription) return;
    if (error instanceof ConnectionError || subscription.granted !== undefined) return this.#ended(subscription);
    this.#forget(subscription);
    this.#context.listener.refused(subscription.requested, error);
    this.#schedule();
  }

  /** The subscription ended although it is still needed: opens a new one after a pause. */
  #ended(subscription: Subscription): void {
    if (this.#open.get(subscription.id) !== subscription) return;
    const { clock } = this.#context.settings;
    const uptime = subscription.granted === undefined ? 0 : clock.now() - subscription.grantedAt;
    this.#forget(subscription);
    if (subscription.granted !== undefined && this.#current === undefined)
      this.#context.listener.lost(subscription.granted);
    this.#failures = uptime >= STABLE_MS ? 0 : this.#failures + 1;
    if (this.#isOver) return;
    this.#retryTimer = clock.setTimeout(() => {
      this.#retryTimer = undefined;
      this.#refresh();
    }, backOff(this.#failures));
  }

  #forget(subscription: Subscription): void {
    this.#open.delete(subscription.id);
    if (this.#current === subscription) this.#current = undefined;
    if (this.#next === subscription) this.#next = undefined;
  }

  /** Cancels a subscription that is no longer needed. */
  #drop(subscription: Subscription | undefined): void {
    if (subscription === undefined) return;
    this.#forget(subscription);
    subscription.cancel.abort('no longer watched');
  }
}
