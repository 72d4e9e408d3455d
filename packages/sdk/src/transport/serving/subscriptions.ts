import { CODE, ProtocolError } from '../../protocol/errors.ts';
import { type MessageText, wholeText } from '../../protocol/message-text.ts';
import type { Principal } from '../../protocol/request-context.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import { META } from '../../protocol/meta.ts';
import type { Change } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { notificationText, responseText } from '../../wire/text.ts';
import type { CallTracker } from './call-tracker.ts';
import type { ServerCall } from './server-call.ts';
import type { Watcher } from './announce-resource.ts';
import { tooManyUris } from './too-many-uris.ts';
import { changeText, changingLists, isWatched } from './updates.ts';

/** The subscription of a modern client (`subscriptions/listen`). */
interface Subscription {
  /** The resources that it watches. */
  readonly uris: ReadonlySet<string>;
  /** The tasks that it follows. */
  readonly taskIds: ReadonlySet<string>;
  /** The acknowledgement: the part of the filter that the server will announce. */
  readonly acknowledgement: string;
  /** Does the filter contain this change? */
  wants(change: Change): boolean;
  /** The notification of a change; undefined if the task that changed is gone. */
  notificationOf(change: Change): Maybe<string | undefined>;
  /** The text of the result with which the server ends it. */
  result(): string;
}

/** The names of the lists in a filter. */
const FIELDS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

/** Reads the filter of a request, without the parts that the server does not offer to this caller. */
async function readSubscription(engine: Engine, call: ServerCall): Promise<Subscription> {
  const wanted = call.params['notifications'];
  if (!isObject(wanted)) throw new ProtocolError(CODE.invalidParams, '"notifications" must be an object');
  const asked = wanted['resourceSubscriptions'] ?? [];
  if (!Array.isArray(asked) || !asked.every((uri) => typeof uri === 'string')) {
    throw new ProtocolError(CODE.invalidParams, '"notifications.resourceSubscriptions" must be a list of URIs');
  }
  if (asked.length > engine.limits.subscriptionUris) throw tooManyUris(engine);

  const capabilities = engine.capabilities();
  const lists = new Set(changingLists(capabilities).filter((list) => wanted[FIELDS[list]] === true));
  const uris = new Set<string>();
  if (capabilities.resources?.subscribe === true) {
    for (const uri of new Set<string>(asked)) if (await engine.hasResource(uri, call)) uris.add(uri);
  }

  const taskIds =
    wanted['taskIds'] === undefined || !engine.has('tasks/get', call.revision)
      ? NO_TASKS
      : await (await loadTasks()).readTaskIds(engine, wanted['taskIds'], call);

  const { id, revision } = call;
  const tag = { _meta: { [META.subscriptionId]: id } };
  const notifications = {
    ...Object.fromEntries([...lists].map((list) => [FIELDS[list], true])),
    resourceSubscriptions: uris.size === 0 ? undefined : [...uris],
    taskIds: taskIds.size === 0 ? undefined : [...taskIds],
  };
  return {
    uris,
    taskIds,
    acknowledgement: notificationText('notifications/subscriptions/acknowledged', { ...tag, notifications }),
    wants: (change) => ('task' in change ? taskIds.has(change.task) : isWatched(change, lists, uris)),
    notificationOf: (change) =>
      'task' in change
        ? loadTasks().then(({ taskNotification }) => taskNotification(engine, change.task, tag, call))
        : changeText(change, tag),
    result: () => wholeText(engine.finish(tag, revision)),
  };
}

const NO_TASKS: ReadonlySet<string> = new Set();

/** Loaded when a client first follows a task. */
function loadTasks() {
  return import('../../server/tasks/task-subscriptions.ts');
}

/** Limits of open subscriptions. */
export interface SubscriptionLimits {
  /** The maximum for all peers together. */
  readonly all: number;
  /** The maximum for one principal. */
  readonly ofPrincipal: number;
  /** The maximum number of resources watched by all subscriptions together; undefined where only those of each subscription are limited. */
  readonly uris?: number;
}

/** An open subscription: a call that is answered when it ends. */
export class OpenSubscription implements Watcher {
  readonly call: ServerCall;
  readonly subscription: Subscription;

  constructor(call: ServerCall, subscription: Subscription) {
    this.call = call;
    this.subscription = subscription;
  }

  get principal(): Principal | undefined {
    return this.call.principal;
  }

  wants(change: Change): boolean {
    return !this.call.ended && this.subscription.wants(change);
  }

  notify(change: Change): void {
    void andThen(this.subscription.notificationOf(change), (text) => {
      if (text !== undefined && !this.call.ended) void this.call.writer.send(text);
    });
  }
}

/** The open subscriptions of one channel, or of one HTTP endpoint (`subscriptions/listen`). */
export class Subscriptions implements Iterable<OpenSubscription> {
  readonly #engine: Engine;
  readonly #limits: SubscriptionLimits;
  readonly #all = new Set<OpenSubscription>();
  #ended = false;

  constructor(engine: Engine, limits: SubscriptionLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  [Symbol.iterator](): Iterator<OpenSubscription> {
    return this.#all.values();
  }

  /** Opens the subscription that a call asks for. Resolves without a result: the answer comes when the subscription ends. */
  async open(call: ServerCall, calls?: CallTracker): Promise<MessageText | undefined> {
    const { method, params } = call;
    if (this.#engine.of.middleware.length === 0) return this.#open(call, calls);
    const { wholeThrough } = await import('../../server/through-middleware.ts');
    return wholeThrough(this.#engine, method, params, call, () => this.#open(call, calls));
  }

  async #open(call: ServerCall, calls: CallTracker | undefined): Promise<string | undefined> {
    this.#checkRoom(call);
    const subscription = await readSubscription(this.#engine, call);
    if (call.cancelled) throw call.signal.reason;
    this.#checkRoom(call);
    if (!this.#hasRoomFor(subscription.uris)) throw tooManyUris(this.#engine);
    if (this.#ended) return subscription.result();
    void call.writer.send(subscription.acknowledgement);
    const open = new OpenSubscription(call, subscription);
    this.#all.add(open);
    call.signal.addEventListener(
      'abort',
      () => {
        this.#all.delete(open);
        calls?.close(call);
        call.end();
        call.writer.drop();
      },
      { once: true },
    );
    return undefined;
  }

  /** Ends all subscriptions with their results. Later ones end at once. */
  end(): void {
    this.#ended = true;
    for (const { call, subscription } of this.#all) {
      call.end();
      call.writer.finish(responseText(call.id, subscription.result()));
    }
    this.#all.clear();
  }

  #checkRoom({ principal }: ServerCall): void {
    const { all, ofPrincipal } = this.#limits;
    let own = 0;
    if (principal !== undefined) for (const one of this.#all) if (one.principal?.id === principal.id) own++;
    const limit = own >= ofPrincipal ? ofPrincipal : all;
    if (own >= ofPrincipal || this.#all.size >= all)
      throw new ProtocolError(CODE.internalError, `Too many subscriptions: the limit is ${limit}`);
  }

  /** A client may open a new subscription before it ends the old one: resources that both watch count once. */
  #hasRoomFor(uris: ReadonlySet<string>): boolean {
    const { uris: most } = this.#limits;
    if (most === undefined) return true;
    const watched = new Set(uris);
    for (const { subscription } of this.#all) for (const uri of subscription.uris) watched.add(uri);
    return watched.size <= most;
  }
}
