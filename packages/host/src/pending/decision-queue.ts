import { type StateStore, UnreadableError } from '../state/state-store.ts';
import { DecisionError } from './decision-error.ts';
import { parseDecision, automaticDenial } from './decision.ts';
import { checkDecision } from './form-check.ts';
import type { Decision, Item } from './item.ts';
import type { ItemContext } from './record.ts';
import { InterruptedCalls, type InterruptedCall } from './interrupted-calls.ts';
import { PendingRecords } from './records.ts';
import { messageOf } from '../values/message-of.ts';

/**
 * Makes decisions in this program, usually a user interface. If the promise never resolves, the item keeps waiting for a decision from
 * elsewhere. If it throws or returns an invalid decision, the item is denied. The signal aborts when the item no longer waits.
 */
export type DecisionHandler = (item: Item, context: { readonly signal: AbortSignal }) => Decision | Promise<Decision>;

export interface DecideOptions extends ItemContext {
  readonly signal?: AbortSignal;
  /** Called when the item waits, and the person can see it. */
  readonly onWaiting?: (() => void) | undefined;
}

export interface DecisionQueueOptions {
  readonly store: StateStore;
  /** The function that decides about an item in this program, if there is one. */
  handlerOf(item: Item): DecisionHandler | undefined;
  /** An item began to wait, or stopped waiting. Called once for many changes at the same time. */
  onChange(): void;
  /** Reports a problem to the person. `server` is empty if no server is concerned. */
  reportProblem(server: string, message: string): void;
}

/** Maximum of waiting items, in total and for each server. Beyond it items are denied, so that a flood cannot exhaust memory. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_SERVER = 250;

/** Counts the time in which anything waits. */
interface WaitClock {
  begin(): void;
  end(): void;
  elapsed(): number;
}

function createWaitClock(): WaitClock {
  let waiting = 0;
  let since = 0;
  let before = 0;
  return {
    begin() {
      if (waiting++ === 0) since = performance.now();
    },
    end() {
      if (--waiting === 0) before += performance.now() - since;
    },
    elapsed: () => before + (waiting === 0 ? 0 : performance.now() - since),
  };
}

/** The items that a server causes during a call. */
const DURING_CALLS: ReadonlySet<Item['kind']> = new Set(['question', 'sample', 'sampled']);

interface PendingDecision {
  readonly item: Item;
  settle(decision: Decision): void;
}

/** Settles the item with a decision. Throws a `DecisionError` if it is invalid, or does not fit. */
function submit({ item, settle }: PendingDecision, given: unknown): void {
  const decision = parseDecision(given);
  checkDecision(item, decision);
  settle(decision);
}

/** Items that wait for a decision: of this program, or of another one that uses the same state folder. */
export class DecisionQueue {
  readonly #options: DecisionQueueOptions;
  readonly #records: PendingRecords;
  readonly #interrupted: InterruptedCalls;
  readonly #waiting = new Map<string, PendingDecision>();
  /** The number of waiting items of each server, including those that are still being stored. */
  readonly #reserved = new Map<string, number>();
  readonly #waitClocks = new Map<string, WaitClock>();
  /** Those in progress, including those that are cancelled and whose items are still being removed from the store. */
  readonly #decisions = new Set<Promise<Decision>>();
  /** Stops watching for answers of other programs. */
  readonly #stopWatching: () => void;
  #isTakingAnswers = false;
  #hasNewAnswers = false;
  #isNotifying = false;
  #closed = false;

  constructor(options: DecisionQueueOptions) {
    const { store, reportProblem } = options;
    this.#options = options;
    this.#records = new PendingRecords(store, reportProblem);
    this.#interrupted = new InterruptedCalls(this.#records);
    this.#stopWatching = store.watch('answers', () => void this.#takeNewAnswers());
  }

  /**
   * Waits for the decision. The item is stored meanwhile and stays when this program ends: an equal item later gets the same id, and an
   * answer that was given in between. With `call`, another program can resume the call. Rejects with the signal's reason.
   */
  async decide(item: Item, options: DecideOptions): Promise<Decision> {
    options.signal?.throwIfAborted();
    const full = this.#limitProblem(item);
    if (full !== undefined) return automaticDenial(item, full);
    const { server } = item;
    const waitClock = this.#waitClockOf(item);
    this.#reserved.set(server, (this.#reserved.get(server) ?? 0) + 1);
    waitClock?.begin();
    const decision = this.#keepAndWait(item, options);
    this.#decisions.add(decision);
    try {
      return await decision;
    } finally {
      this.#decisions.delete(decision);
      waitClock?.end();
      const remaining = this.#reserved.get(server)! - 1;
      if (remaining === 0) this.#reserved.delete(server);
      else this.#reserved.set(server, remaining);
    }
  }

  /** The items that wait in this program, with their stored ids. */
  items(): readonly Item[] {
    return [...this.#waiting.values()].map(({ item }) => item);
  }

  /** The milliseconds so far in which a question or sampling of this server waited for a decision. */
  waitedMs(server: string): number {
    return this.#waitClocks.get(server)?.elapsed() ?? 0;
  }

  /** Returns whether the item was waiting. Throws a `DecisionError` if the decision is invalid, or does not fit the item. */
  answer(id: string, decision: Decision): boolean {
    const checked = parseDecision(decision);
    const found = this.#waiting.get(id);
    if (found === undefined) return false;
    submit(found, checked);
    return true;
  }

  /**
   * Makes a call. While it is in progress, the answers to its questions are stored: if this program is killed, another one can tell that
   * they may have been sent, or ask only what is still unanswered.
   */
  trackCall<T>(work: () => Promise<T>): Promise<T> {
    return this.#interrupted.track(work, () => this.#closed);
  }

  /** Takes over calls whose programs have ended, of the servers that `wants` accepts. */
  takeInterrupted(wants: (server: string) => boolean): Promise<InterruptedCall[]> {
    return this.#interrupted.take(wants);
  }

  /** Closes the queue: items that are abandoned from now on stay in the store. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopWatching();
    await this.#records.close();
  }

  /** Resolves when no decision is in progress. Cancelled ones are, until their items are removed from the store. */
  async settled(): Promise<void> {
    while (this.#decisions.size > 0) await Promise.allSettled(this.#decisions);
  }

  #waitClockOf({ kind, server }: Item): WaitClock | undefined {
    if (!DURING_CALLS.has(kind)) return undefined;
    const clock = this.#waitClocks.get(server) ?? createWaitClock();
    this.#waitClocks.set(server, clock);
    return clock;
  }

  #limitProblem({ server }: Item): string | undefined {
    const all = [...this.#reserved.values()].reduce((sum, count) => sum + count, 0);
    if (all >= MAX_WAITING) return `More than ${MAX_WAITING} items already wait for a decision`;
    // A server that floods the queue must not block the others.
    if ((this.#reserved.get(server) ?? 0) < MAX_WAITING_PER_SERVER) return undefined;
    return `More than ${MAX_WAITING_PER_SERVER} items of the server '${server}' already wait for a decision`;
  }

  async #keepAndWait(proposed: Item, options: DecideOptions): Promise<Decision> {
    const records = this.#records;
    const interrupted = this.#interrupted;
    const { signal: _signal, onWaiting: _onWaiting, ...context } = options;
    const item = await records.add(proposed, context);
    const { id } = item;
    interrupted.onAsked(item, context);
    let decision: Decision;
    try {
      decision = await this.#waitForDecision(item, options);
    } catch (error) {
      // The record stays for another program, which can resume the call or ask again.
      if (this.#closed || interrupted.isResumed(id)) records.abandon(id);
      else await records.complete(id).catch(() => false);
      throw error;
    }
    interrupted.onAnswered(id, decision);
    const isOurs = interrupted.has(id) ? await records.markAnswered(id, decision) : await records.complete(id);
    if (isOurs) return decision;
    return automaticDenial(item, 'Another host took over this item');
  }

  async #waitForDecision(item: Item, { signal, onWaiting }: DecideOptions): Promise<Decision> {
    const settled = new AbortController();
    try {
      return await new Promise<Decision>((resolve, reject) => {
        const abort = (): void => reject(signal?.reason as Error);
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true, signal: settled.signal });
        const settle = (decision: Decision): void => {
          settled.abort();
          if (this.#waiting.delete(item.id)) this.#notify();
          resolve(decision);
        };
        const pending: PendingDecision = { item, settle };
        this.#waiting.set(item.id, pending);
        this.#notify();
        this.#takeAnswer(item.id).catch(() => {});
        const handler = this.#options.handlerOf(item);
        if (handler !== undefined) void this.#runHandler(handler, pending, settled.signal);
        onWaiting?.();
      });
    } finally {
      settled.abort();
      if (this.#waiting.delete(item.id)) this.#notify();
    }
  }

  /** Runs the decision handler of this program. If it fails, the item is denied automatically. */
  async #runHandler(handler: DecisionHandler, pending: PendingDecision, signal: AbortSignal): Promise<void> {
    const { item } = pending;
    let mismatch: string | undefined;
    try {
      const decision: unknown = await handler(item, { signal });
      if (!signal.aborted) submit(pending, decision);
    } catch (error) {
      mismatch = messageOf(error);
    }
    if (mismatch === undefined || signal.aborted) return;
    this.#options.reportProblem(
      item.server,
      `The decision handler failed for an item of the kind ${item.kind}, so it is denied: ${mismatch}`,
    );
    pending.settle(automaticDenial(item, 'No decision: the decision handler failed'));
  }

  /** Takes the answers of other programs after a change, and those that arrive meanwhile. */
  async #takeNewAnswers(): Promise<void> {
    if (this.#waiting.size === 0) return;
    this.#hasNewAnswers = true;
    if (this.#isTakingAnswers) return;
    this.#isTakingAnswers = true;
    while (this.#hasNewAnswers) {
      this.#hasNewAnswers = false;
      // A failed read is repeated at the next change.
      await this.#takeAnswers().catch(() => {});
    }
    this.#isTakingAnswers = false;
  }

  async #takeAnswers(): Promise<void> {
    for (const id of await this.#options.store.list('answers')) if (this.#waiting.has(id)) await this.#takeAnswer(id);
  }

  /** Takes an answer of another program from the store. An invalid one is quarantined. */
  async #takeAnswer(id: string): Promise<void> {
    const { store } = this.#options;
    let mismatch: string | undefined;
    try {
      const answer = await store.get(`answers/${id}`);
      const found = this.#waiting.get(id);
      if (answer === undefined || found === undefined) return;
      submit(found, answer);
    } catch (error) {
      if (!(error instanceof DecisionError || error instanceof UnreadableError)) throw error;
      mismatch = error.message;
    }
    const found = this.#waiting.get(id);
    if (mismatch === undefined || found === undefined) return;
    await store.quarantine(`answers/${id}`);
    this.#reportMismatch(found, mismatch);
  }

  #reportMismatch({ item }: PendingDecision, why: string): void {
    this.#options.reportProblem(
      item.server,
      `The answer to the ${item.kind} with the id ${item.id} does not fit, so it waits for another one: ${why}`,
    );
  }

  /** Reports that the waiting items have changed, once for all changes of a turn. */
  #notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    setImmediate(() => {
      this.#isNotifying = false;
      this.#options.onChange();
    });
  }
}
