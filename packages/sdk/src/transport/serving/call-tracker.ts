import { CODE } from '../../protocol/errors.ts';
import { IdTable } from '../../protocol/id-table.ts';
import { shown } from '../../protocol/text.ts';
import type { RefuseRate } from './limit-rates.ts';
import type { CallRefusal, ServerCall } from './server-call.ts';

/** Limits how many calls run at the same time. */
export interface CallLimiter {
  /** Why a call may not begin now; undefined when it may. */
  refuse(call: ServerCall): CallRefusal | undefined;
  /** Called when a call starts waiting for its answer. */
  begin(call: ServerCall): void;
  /** A call that began has ended. One that became a subscription stays open, and its id in use, until `close`. */
  end(call: ServerCall, stays: boolean): void;
}

/**
 * The running calls of one peer, which are also found by their ids, or of all peers of an endpoint; their number is limited. The calls of one
 * peer count among those of `all`, too.
 */
export class CallTracker implements CallLimiter {
  readonly #limit: number;
  readonly #all: CallLimiter | undefined;
  /** Undefined where the endpoint counts. */
  readonly #rates: RefuseRate | undefined;
  /** Calls by id: those that run, and subscriptions. Undefined where several peers may use the same id. */
  readonly #open: IdTable<ServerCall> | undefined;
  #count = 0;
  /** Resolve the promises of `whenIdle`. */
  #whenIdle: (() => void)[] = [];

  constructor(
    limit: number,
    {
      ofOnePeer,
      all,
      rates,
    }: { readonly ofOnePeer: boolean; readonly all?: CallLimiter | undefined; readonly rates?: RefuseRate | undefined },
  ) {
    this.#limit = limit;
    this.#rates = rates;
    this.#all = all;
    this.#open = ofOnePeer ? new IdTable() : undefined;
  }

  /** The number of running calls. */
  get count(): number {
    return this.#count;
  }

  /** Is a call or a subscription open? */
  get anyOpen(): boolean {
    return this.#open !== undefined && this.#open.size > 0;
  }

  refuse(call: ServerCall): CallRefusal | undefined {
    if (this.#open?.get(call.id) !== undefined) {
      const message = `The id ${shown(call.id)} is in use by a request that is not answered yet`;
      return { reason: 'id in use', error: { code: CODE.invalidRequest, message } };
    }
    if (this.#count < this.#limit) return this.#all?.refuse(call) ?? this.#rates?.(call);
    const message = `Too many calls at once: the limit is ${this.#limit}`;
    return { reason: 'overload', error: { code: CODE.internalError, message } };
  }

  begin(call: ServerCall): void {
    this.#count++;
    this.#open?.add(call);
    this.#all?.begin(call);
  }

  end(call: ServerCall, stays: boolean): void {
    this.#count--;
    if (!stays) this.close(call);
    if (this.#count === 0) this.#resolveIdle();
    this.#all?.end(call, stays);
  }

  close(call: ServerCall): void {
    this.#open?.delete(call);
  }

  /** Cancels a call; returns whether there is one with this id. It stays open until it has ended: its id is not free yet. */
  cancel(id: unknown, reason: unknown): boolean {
    const call = this.#open?.get(id);
    call?.cancel(typeof reason === 'string' ? reason : 'The client cancelled the request');
    return call !== undefined;
  }

  cancelAll(reason: string): void {
    for (const call of this.#open?.values() ?? []) call.cancel(reason);
  }

  /** Resolves when no call is running. */
  async whenIdle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #resolveIdle(): void {
    if (this.#whenIdle.length > 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
