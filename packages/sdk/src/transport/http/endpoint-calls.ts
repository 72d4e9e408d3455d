import { CODE } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import { type CallCounter, Calls } from '../serving/calls.ts';
import type { RunningCall } from '../serving/running-call.ts';

/** Says who a call comes from, where that is known. */
type WhoCalls = () => string | undefined;

/** The running calls of all clients of an endpoint. None of them can take all the places. */
export class EndpointCalls {
  readonly #all: Calls;
  readonly #perCaller: number;
  /** How many run for each caller. */
  readonly #held = new Map<string, number>();

  constructor({ calls, callsPerPrincipal }: Limits) {
    this.#all = new Calls(calls, { ofOnePeer: false });
    this.#perCaller = callsPerPrincipal;
  }

  get running(): ReadonlySet<RunningCall> {
    return this.#all.running;
  }

  whenIdle(): Promise<void> {
    return this.#all.whenIdle();
  }

  /** Where the calls of one caller are counted. Who that is, is asked when it matters: most calls are answered at once. */
  of(whoCalls: WhoCalls): CallCounter {
    let known = false;
    let caller: string | undefined;
    const who = (): string | undefined => {
      if (!known) caller = whoCalls();
      known = true;
      return caller;
    };
    return {
      refuse: (id) => this.#all.refuse(id) ?? (this.#hasTooMany(who) ? this.#refusal() : undefined),
      begin: (call) => {
        this.#all.begin(call);
        this.#count(who(), 1);
      },
      end: (call, stays) => {
        this.#all.end(call, stays);
        this.#count(who(), -1);
      },
    };
  }

  #hasTooMany(who: WhoCalls): boolean {
    if (this.#all.running.size < this.#perCaller) return false;
    const caller = who();
    return caller !== undefined && (this.#held.get(caller) ?? 0) >= this.#perCaller;
  }

  #refusal(): ReturnType<CallCounter['refuse']> {
    const message = `Too many calls of one client at once: the limit is ${this.#perCaller}`;
    return { reason: 'overload', error: { code: CODE.internalError, message } };
  }

  #count(caller: string | undefined, difference: number): void {
    if (caller === undefined) return;
    const left = (this.#held.get(caller) ?? 0) + difference;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }
}
