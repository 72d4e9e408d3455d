import { CODE, ConnectionError, PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import { isObject, isRequestId, type JsonObject, type Notification, type RequestId } from '../protocol/jsonrpc.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { backOff } from './back-off.ts';
import type { Timer } from './clock.ts';
import type { Opening } from './conversation.ts';
import type { Terms } from './correlate.ts';
import { unsolicited } from './notices.ts';
import {
  concerns,
  isEmpty,
  namesOf,
  listOfNotification,
  type ListName,
  NO_TOPICS,
  sameTopics,
  type Topics,
  without,
} from './topics.ts';

/** One `subscriptions/listen`. */
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

const covers = ({ lists, uris }: Topics, list: ListName | undefined, uri: unknown): boolean =>
  list === undefined ? typeof uri === 'string' && [...uris].some((watched) => concerns(watched, uri)) : lists.has(list);

/** A listen that lived so long was a good one: the next failure is the first again. */
const GOOD_MS = 60_000;

type Send = (id: number, params: JsonObject, terms: Terms) => Promise<JsonObject>;

/**
 * The subscriptions of an exchange: keeps one open for all that is wanted. When that changes, a new one is opened before the old one is
 * cancelled, so nothing is missed in between. One that the server ends is opened again. See "Subscriptions" of the specification.
 */
export class Listens {
  readonly #opening: Opening;
  readonly #send: Send;
  readonly #open = new Map<RequestId, Listen>();
  #wanted = NO_TOPICS;
  /** The one that is acknowledged, and the one that will take its place. */
  #current: Listen | undefined;
  #next: Listen | undefined;
  #scheduled = false;
  #failures = 0;
  /** Is set while a new one has to wait. */
  #pause: Timer;
  #over = false;

  constructor(opening: Opening, send: Send) {
    this.#opening = opening;
    this.#send = send;
    void opening.calls.ended.then(() => {
      this.#over = true;
      opening.settings.clock.clearTimeout(this.#pause);
    });
  }

  /** Makes the server announce exactly these. */
  follow(topics: Topics): void {
    this.#wanted = topics;
    this.#schedule();
  }

  /** Takes a notification that belongs, or claims to belong, to a subscription. */
  take({ method, params }: Notification): void {
    if (method === 'notifications/cancelled') return this.#cancelled(params);
    const list = listOfNotification(method);
    const isAck = method === 'notifications/subscriptions/acknowledged';
    const id = metaOf(params)[META.subscriptionId];
    const listen = isRequestId(id) ? this.#open.get(id) : undefined;
    if (listen === undefined) unsolicited(this.#opening.report, method);
    else if (isAck) this.#acknowledged(listen, params);
    else this.#changed(listen, method, list, params?.['uri']);
  }

  /** Once for everything that changes in the same turn. */
  #schedule(): void {
    if (this.#scheduled || this.#pause !== undefined || this.#over) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#refresh();
    });
  }

  #refresh(): void {
    if (this.#over || this.#next !== undefined) return;
    if (isEmpty(this.#wanted)) return this.#drop(this.#current);
    if (this.#current === undefined || !sameTopics(this.#current.granted!, this.#wanted)) this.#start(this.#wanted);
  }

  #start(asked: Topics): void {
    const { calls, settings } = this.#opening;
    const { clock, timeout } = settings;
    const listen: Listen = { id: calls.nextId(), asked, cancel: new AbortController(), granted: undefined, since: 0 };
    this.#open.set(listen.id, listen);
    this.#next = listen;
    const late = clock.setTimeout(() => this.#tooLate(listen), timeout);
    const terms = { timeout: Infinity, last: Infinity, signal: listen.cancel.signal };
    this.#send(listen.id, { notifications: filterOf(asked) }, terms)
      .then(
        () => this.#ended(listen),
        (error: Error) => this.#failed(listen, error),
      )
      .finally(() => clock.clearTimeout(late));
  }

  #tooLate(listen: Listen): void {
    if (listen.granted !== undefined) return;
    this.#failed(listen, new TimeoutError('The server did not acknowledge the subscription in time'));
    listen.cancel.abort('timeout');
  }

  #acknowledged(listen: Listen, params: JsonObject | undefined): void {
    const { listener, report, settings } = this.#opening;
    if (listen.granted !== undefined) {
      return report('warn', 'bad-subscription', 'A subscription was acknowledged twice');
    }
    listen.granted = grantedOf(listen.asked, params?.['notifications']);
    listen.since = settings.clock.now();
    this.#next = undefined;
    this.#drop(this.#current);
    this.#current = listen;
    const missing = without(listen.asked, listen.granted);
    listener.watching(listen.granted);
    if (!isEmpty(missing)) {
      const what = namesOf(missing).join(', ');
      listener.refused(
        missing,
        new ProtocolError(CODE.methodNotFound, `The server does not announce changes of ${what}`),
      );
    }
    if (isEmpty(listen.granted)) this.#drop(listen);
    this.#schedule();
  }

  #changed(listen: Listen, method: string, list: ListName | undefined, uri: unknown): void {
    const { listener } = this.#opening;
    if (listen.granted === undefined || !covers(listen.granted, list, uri)) unsolicited(this.#opening.report, method);
    else if (list === undefined) listener.updated(uri as string);
    else listener.listChanged(list);
  }

  #cancelled(params: JsonObject | undefined): void {
    const id = params?.['requestId'];
    const listen = isRequestId(id) ? this.#open.get(id) : undefined;
    if (listen === undefined) unsolicited(this.#opening.report, 'notifications/cancelled');
    else this.#opening.calls.fail(listen.id, new PeerError('The server ended the subscription'));
  }

  #failed(listen: Listen, error: Error): void {
    if (this.#open.get(listen.id) !== listen) return;
    if (error instanceof ConnectionError || listen.granted !== undefined) return this.#ended(listen);
    this.#forget(listen);
    this.#opening.listener.refused(listen.asked, error);
    this.#schedule();
  }

  /** The subscription is over although it is wanted: again, after a pause. */
  #ended(listen: Listen): void {
    if (this.#open.get(listen.id) !== listen) return;
    const { clock } = this.#opening.settings;
    const lived = listen.granted === undefined ? 0 : clock.now() - listen.since;
    this.#forget(listen);
    if (listen.granted !== undefined && this.#current === undefined) this.#opening.listener.lost(listen.granted);
    this.#failures = lived >= GOOD_MS ? 0 : this.#failures + 1;
    if (this.#over) return;
    this.#pause = clock.setTimeout(() => {
      this.#pause = undefined;
      this.#refresh();
    }, backOff(this.#failures));
  }

  #forget(listen: Listen): void {
    this.#open.delete(listen.id);
    if (this.#current === listen) this.#current = undefined;
    if (this.#next === listen) this.#next = undefined;
  }

  /** Ends a subscription that is no longer wanted. */
  #drop(listen: Listen | undefined): void {
    if (listen === undefined) return;
    this.#forget(listen);
    listen.cancel.abort('no longer watched');
  }
}
