import { CODE, ConnectionError, PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import { isObject, isRequestId, type JsonObject, type Notification, type RequestId } from '../protocol/jsonrpc.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { ReopenDelays } from './reopen-delays.ts';
import type { Timer } from './clock.ts';
import type { ConnectionContext } from './server-connection.ts';
import type { RequestOptions } from './rpc-connection.ts';
import { reportUnsolicited } from './notifications.ts';
import { coversUri, namesOf } from './topic-names.ts';
import {
  isEmpty,
  listOfNotification,
  type ListName,
  NO_TOPICS,
  taskOfTopic,
  taskTopic,
  type Topics,
} from './topics.ts';
import { coveredBy, type HeldSubscription, isUseless, type Plan, planOf, without } from './subscription-plan.ts';

/** One `subscriptions/listen` request. */
interface Subscription {
  readonly id: number;
  readonly requested: Topics;
  readonly cancel: AbortController;
  /** The subscriptions that it replaces when it is acknowledged. */
  readonly replaces: readonly Subscription[];
  /** The topics that the server acknowledged; undefined until then. */
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
  const resources = [...uris].filter((uri) => taskOfTopic(uri) === undefined);
  const taskIds = [...uris].flatMap((uri) => taskOfTopic(uri) ?? []);
  return {
    ...Object.fromEntries([...lists].map((list) => [FILTER.get(list)!, true])),
    resourceSubscriptions: resources.length === 0 ? undefined : resources,
    taskIds: taskIds.length === 0 ? undefined : taskIds,
  };
}

/** The part of the requested topics that the server acknowledged. */
function grantedOf(requested: Topics, filter: unknown): Topics {
  if (!isObject(filter)) return NO_TOPICS;
  const { resourceSubscriptions, taskIds } = filter;
  const granted = new Set<unknown>(Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []);
  for (const id of Array.isArray(taskIds) ? taskIds : []) granted.add(taskTopic(id));
  return {
    lists: new Set([...requested.lists].filter((list) => filter[FILTER.get(list)!] === true)),
    uris: new Set([...requested.uris].filter((uri) => granted.has(uri))),
  };
}

function covers({ lists, uris }: Topics, list: ListName | undefined, uri: unknown): boolean {
  return list === undefined
    ? typeof uri === 'string' && (uris.has(uri) || [...uris].some((watched) => coversUri(watched, uri)))
    : lists.has(list);
}

function isHeld(subscription: Subscription): subscription is Subscription & HeldSubscription {
  return subscription.granted !== undefined;
}

/** The topic of a notification of a change: a URI, or the topic of a task. */
function uriOf(method: string, params: JsonObject | undefined): unknown {
  return method === 'notifications/tasks' ? taskTopic(params?.['taskId']) : params?.['uri'];
}

type Send = (id: number, params: JsonObject, requestOptions: RequestOptions) => Promise<JsonObject>;

/**
 * The subscriptions of a modern connection: keeps at most two `subscriptions/listen` open for all topics. When the topics change, a new one is
 * opened before one that it replaces is cancelled, so that no change is missed. One that the server ends is opened again. See "Subscriptions"
 * of the specification.
 */
export class ModernSubscriptions {
  readonly #context: ConnectionContext;
  readonly #send: Send;
  readonly #open = new Map<RequestId, Subscription>();
  #topics = NO_TOPICS;
  /** The subscription that is not acknowledged yet. */
  #next: Subscription | undefined;
  /** May all topics be requested at once, although some are already announced? Not after the server has refused that. */
  #mayReplaceAll = true;
  #scheduled = false;
  readonly #delays = new ReopenDelays();
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

  /** Requests announcements of changes of exactly these topics. */
  setTopics(topics: Topics): void {
    const added = without(topics, this.#topics);
    this.#topics = topics;
    // Some may still be announced since they were watched before.
    if (!isEmpty(added)) this.#context.listener.watching(without(added, without(added, coveredBy(this.#held))));
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
    else this.#changed(subscription, method, list, uriOf(method, params));
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

  /** The acknowledged subscriptions, the oldest first. */
  get #held(): (Subscription & HeldSubscription)[] {
    return [...this.#open.values()].filter(isHeld);
  }

  #refresh(): void {
    if (this.#isOver || this.#next !== undefined) return;
    for (const one of this.#held) if (isUseless(one, this.#topics)) this.#drop(one);
    const plan = planOf(this.#topics, this.#held, this.#mayReplaceAll);
    if (plan !== undefined) this.#start(plan);
  }

  #start({ requested, replaces }: Plan<Subscription & HeldSubscription>): void {
    const { rpc, settings } = this.#context;
    const { clock, timeout } = settings;
    const subscription: Subscription = {
      id: rpc.nextId(),
      requested,
      replaces,
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
    for (const replaced of subscription.replaces) this.#drop(replaced);
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
    if (error instanceof ConnectionError || subscription.granted !== undefined) return this.#ended(subscription, error);
    this.#forget(subscription);
    const held = this.#held;
    const missing = without(subscription.requested, coveredBy(held));
    // Topics that are already announced stay. Added topics are requested alone, because perhaps only all of them together are too many.
    const triesAlone = this.#mayReplaceAll && held.length > 0 && error instanceof ProtocolError;
    this.#mayReplaceAll = !triesAlone;
    if (!triesAlone && !isEmpty(missing)) this.#context.listener.refused(missing, error);
    this.#schedule();
  }

  /** The subscription ended although it is still needed: opens a new one after a pause. */
  #ended(subscription: Subscription, error?: Error): void {
    if (this.#open.get(subscription.id) !== subscription) return;
    const { settings, listener } = this.#context;
    const { clock } = settings;
    const { granted, grantedAt } = subscription;
    this.#forget(subscription);
    if (granted !== undefined) listener.lost(without(granted, coveredBy(this.#held)));
    if (this.#isOver || this.#retryTimer !== undefined) return;
    const uptime = granted === undefined ? 0 : clock.now() - grantedAt;
    this.#retryTimer = clock.setTimeout(
      () => {
        this.#retryTimer = undefined;
        this.#refresh();
      },
      this.#delays.next(uptime, error instanceof ConnectionError ? error.retryAfterMs : undefined),
    );
  }

  #forget(subscription: Subscription): void {
    this.#open.delete(subscription.id);
    if (this.#next === subscription) this.#next = undefined;
  }

  /** Cancels a subscription that is no longer needed. */
  #drop(subscription: Subscription): void {
    this.#forget(subscription);
    subscription.cancel.abort('no longer watched');
  }
}
