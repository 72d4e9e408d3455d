import { CODE } from '../../protocol/errors.ts';
import type { ErrorObject, RequestId } from '../../protocol/jsonrpc.ts';
import { shown } from '../../protocol/text.ts';
import type { RefusalReason, RunningCall } from './running-call.ts';

/** Why a call may not begin. */
export interface CallRefusal {
  readonly reason: RefusalReason;
  readonly error: ErrorObject;
}

/** Counts running calls against a limit. An endpoint has one for all its peers. */
export class CallCount {
  readonly #limit: number;
  #running = 0;
  #idle: (() => void)[] | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  get full(): boolean {
    return this.#running >= this.#limit;
  }

  get limit(): number {
    return this.#limit;
  }

  add(): void {
    this.#running++;
  }

  remove(): void {
    if (--this.#running > 0 || this.#idle === undefined) return;
    const waiting = this.#idle;
    this.#idle = undefined;
    for (const resolve of waiting) resolve();
  }

  /** Resolves when no call is running. */
  whenIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => void (this.#idle ??= []).push(resolve));
  }
}

/** What the calls of one peer, or of one endpoint, are counted in. */
export interface CallLimits {
  /** Calls of this peer. Undefined where nothing ties requests together. */
  readonly own?: CallTable | undefined;
  /** Calls of all peers. Undefined where there is only one. */
  readonly all?: CallCount | undefined;
}

/** The open calls of one peer, by id: those that run, and subscriptions. */
export class CallTable {
  readonly count: CallCount;
  #open: Map<RequestId, RunningCall> | undefined;

  constructor(limit: number) {
    this.count = new CallCount(limit);
  }

  /** Is there nothing open? */
  get empty(): boolean {
    return this.#open === undefined || this.#open.size === 0;
  }

  has(id: RequestId): boolean {
    return this.#open?.has(id) === true;
  }

  add(call: RunningCall): void {
    (this.#open ??= new Map()).set(call.id, call);
  }

  remove(call: RunningCall): void {
    if (this.#open?.get(call.id) === call) this.#open.delete(call.id);
  }

  /** Cancels a call; tells whether there is one with this id. */
  cancel(id: unknown, reason: unknown): boolean {
    const call = this.#open?.get(id as RequestId);
    if (call === undefined) return false;
    // It stays open until it has ended: its id is not free yet.
    call.cancel(typeof reason === 'string' ? reason : 'The client cancelled the request');
    return true;
  }

  cancelAll(reason: string): void {
    for (const call of this.#open?.values() ?? []) call.cancel(reason);
  }
}

/** Why a call with this id may not begin now; undefined when it may. */
export function refuseCall({ own, all }: CallLimits, id: RequestId): CallRefusal | undefined {
  if (own?.has(id) === true) {
    const message = `The id ${shown(id)} is in use by a request that is not answered yet`;
    return { reason: 'id in use', error: { code: CODE.invalidRequest, message } };
  }
  if (own?.count.full === true) {
    const message = `Too many requests at once: the limit is ${own.count.limit}`;
    return { reason: 'overload', error: { code: CODE.internalError, message } };
  }
  if (all?.full === true) {
    const message = 'Too many calls are running: try again later';
    return { reason: 'overload', error: { code: CODE.internalError, message } };
  }
  return undefined;
}

/** A call begins to wait for its answer. */
export function beginCall({ own, all }: CallLimits, call: RunningCall): void {
  call.waiting = true;
  own?.add(call);
  own?.count.add();
  all?.add();
}

/** A call is no longer running. `open`: it became a subscription, and its id is still in use. */
export function endCall({ own, all }: CallLimits, call: RunningCall, open: boolean): void {
  if (call.waiting) {
    call.waiting = false;
    own?.count.remove();
    all?.remove();
  }
  if (!open) own?.remove(call);
}
