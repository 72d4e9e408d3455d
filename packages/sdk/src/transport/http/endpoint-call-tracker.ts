import { CODE } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import { UnorderedList } from '../../protocol/unordered-list.ts';
import { type CallLimiter, CallTracker } from '../serving/call-tracker.ts';
import { limitRates, type RefuseRate } from '../serving/limit-rates.ts';
import type { CallRefusal, ServerCall } from '../serving/server-call.ts';
import { KeyCounter } from './key-counter.ts';

/** The running calls of all clients of an endpoint. A single client cannot use the whole limit. */
export class EndpointCallTracker implements CallLimiter {
  readonly #all: CallTracker;
  readonly #perClient: number;
  readonly #tally = new KeyCounter();
  readonly #rates: RefuseRate;
  readonly #running = new UnorderedList<ServerCall>();

  constructor(limits: Limits) {
    const { calls, callsPerPrincipal } = limits;
    this.#all = new CallTracker(calls, { ofOnePeer: false });
    this.#rates = limitRates(limits);
    this.#perClient = callsPerPrincipal;
  }

  get running(): UnorderedList<ServerCall> {
    return this.#running;
  }

  whenIdle(): Promise<void> {
    return this.#all.whenIdle();
  }

  refuse(call: ServerCall): CallRefusal | undefined {
    const refusal = this.#all.refuse(call);
    // The key is computed only when it is needed: most calls are answered at once, and few run at the same time.
    if (refusal !== undefined) return refusal;
    if (this.#all.count < this.#perClient || this.#tally.count(call.quotaKey) < this.#perClient)
      return this.#rates(call);
    const message = `Too many calls of one client at once: the limit is ${this.#perClient}`;
    return { reason: 'overload', error: { code: CODE.internalError, message } };
  }

  begin(call: ServerCall): void {
    this.#all.begin(call);
    this.#running.add(call);
    this.#tally.add(call.quotaKey);
  }

  end(call: ServerCall, stays: boolean): void {
    this.#all.end(call, stays);
    this.#running.delete(call);
    this.#tally.remove(call.quotaKey);
  }
}
