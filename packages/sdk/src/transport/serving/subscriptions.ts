import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/exchange.ts';
import type { Change } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { responseText } from '../../wire/text.ts';
import type { CallTable } from './calls.ts';
import type { RunningCall } from './running-call.ts';
import type { Subscription } from './subscription.ts';
import { tooManyUris, type Watcher } from './updates.ts';

/** How many subscriptions may be open. */
export interface SubscriptionLimits {
  /** Of all peers together. */
  readonly all: number;
  /** Of one principal. */
  readonly ofPrincipal: number;
  /** Resources watched by all subscriptions together; undefined where only those of each one are limited. */
  readonly uris?: number;
}

/** An open subscription: a call that is answered when it ends. */
class OpenSubscription implements Watcher {
  readonly call: RunningCall;
  readonly subscription: Subscription;

  constructor(call: RunningCall, subscription: Subscription) {
    this.call = call;
    this.subscription = subscription;
  }

  get principal(): Principal | undefined {
    return this.call.principal;
  }

  wants(change: Change): boolean {
    return !this.call.over && this.subscription.wants(change);
  }

  tell(change: Change): void {
    void this.call.writer.send(this.subscription.notice(change));
  }
}

/** The open subscriptions of one channel, or of one HTTP endpoint (`subscriptions/listen`). */
export class Subscriptions implements Iterable<Watcher> {
  readonly #engine: Engine;
  readonly #limits: SubscriptionLimits;
  readonly #open = new Set<OpenSubscription>();
  #ended = false;

  constructor(engine: Engine, limits: SubscriptionLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  [Symbol.iterator](): Iterator<Watcher> {
    return this.#open.values();
  }

  /** Opens the subscription that a call asks for. Resolves without a result: the answer comes when the subscription ends. */
  async open(call: RunningCall, table?: CallTable): Promise<string | undefined> {
    this.#checkRoom(call);
    const { readSubscription } = await import('./subscription.ts');
    const subscription = await readSubscription(this.#engine, call);
    if (call.cancelled) throw call.signal.reason;
    this.#checkRoom(call);
    if (!this.#hasRoomFor(subscription.uris)) throw tooManyUris(this.#engine);
    if (this.#ended) return subscription.result();
    void call.writer.send(subscription.acknowledgement);
    const open = new OpenSubscription(call, subscription);
    this.#open.add(open);
    call.signal.addEventListener(
      'abort',
      () => {
        this.#open.delete(open);
        table?.remove(call);
        call.end();
        call.writer.drop();
      },
      { once: true },
    );
    return undefined;
  }

  /** Ends all subscriptions in good order: with the response that says so. Later ones end at once. */
  end(): void {
    this.#ended = true;
    for (const { call, subscription } of this.#open) {
      call.end();
      call.writer.finish(responseText(call.id, subscription.result()));
    }
    this.#open.clear();
  }

  #checkRoom({ principal }: RunningCall): void {
    const { all, ofPrincipal } = this.#limits;
    let own = 0;
    if (principal !== undefined) for (const one of this.#open) if (one.principal?.id === principal.id) own++;
    const limit = own >= ofPrincipal ? ofPrincipal : all;
    if (own >= ofPrincipal || this.#open.size >= all)
      throw new ProtocolError(CODE.internalError, `Too many subscriptions: the limit is ${limit}`);
  }

  /** A client may open a new subscription before it ends the old one: what both watch counts once. */
  #hasRoomFor(uris: ReadonlySet<string>): boolean {
    const { uris: most } = this.#limits;
    if (most === undefined) return true;
    const watched = new Set(uris);
    for (const { subscription } of this.#open) for (const uri of subscription.uris) watched.add(uri);
    return watched.size <= most;
  }
}
