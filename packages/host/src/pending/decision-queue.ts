import { type StateStore, UnreadableError } from '../state/state-store.ts';
import { parseDecision, automaticDenial } from './decision.ts';
import { answerProblem } from './form-check.ts';
import type { Decision, Item } from './item.ts';
import type { ItemContext } from './record.ts';
import { createInterruptedCalls, type InterruptedCall } from './interrupted-calls.ts';
import { createPendingRecords } from './records.ts';
import { messageOf } from '../values/message-of.ts';

/**
 * Makes decisions in this program, usually a user interface. If the promise never resolves, the item keeps waiting for a decision from
 * elsewhere. If it throws or returns an invalid decision, the item is denied. The signal aborts when the item no longer waits.
 */
export type DecisionHandler = (item: Item, context: { readonly signal: AbortSignal }) => Decision | Promise<Decision>;

export interface DecideOptions extends ItemContext {
  readonly signal?: AbortSignal;
  /** Why a decision does not fit the item, or undefined. The item then waits for another decision. */
  readonly check?: (decision: Decision) => string | undefined;
}

/** Items that wait for a decision: of this program, or of another one that uses the same state folder. */
export interface DecisionQueue {
  /**
   * Waits for the decision. The item is stored meanwhile and stays when this program ends: an equal item later gets the same id, and an
   * answer that was given in between. With `call`, another program can resume the call. Rejects with the signal's reason.
   */
  decide(item: Item, options: DecideOptions): Promise<Decision>;
  /** The items that wait in this program, with their stored ids. */
  items(): readonly Item[];
  /** The milliseconds so far in which a question or sampling of this server waited for a decision. */
  waitedMs(server: string): number;
  /** Returns whether the item was waiting and the decision fits it. Throws a `TypeError` for an invalid decision. */
  answer(id: string, decision: Decision): boolean;
  /**
   * Makes a call. While it is in progress, the answers to its questions are stored: if this program is killed, another one can tell that
   * they may have been sent, or ask only what is still unanswered.
   */
  trackCall<T>(work: () => Promise<T>): Promise<T>;
  /** Takes over calls whose programs have ended, of the servers that `wants` accepts. */
  takeInterrupted(wants: (server: string) => boolean): Promise<InterruptedCall[]>;
  /** Closes the queue: items that are abandoned from now on stay in the store. */
  close(): Promise<void>;
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
  readonly check: DecideOptions['check'];
  settle(decision: Decision): void;
}

export function createDecisionQueue({
  store,
  handlerOf,
  onChange,
  reportProblem,
}: DecisionQueueOptions): DecisionQueue {
  const records = createPendingRecords(store, reportProblem);
  const waiting = new Map<string, PendingDecision>();
  const interrupted = createInterruptedCalls(records);
  /** The number of waiting items of each server, including those that are still being stored. */
  const reserved = new Map<string, number>();
  const waitClocks = new Map<string, WaitClock>();
  let closed = false;

  const waitClockOf = ({ kind, server }: Item): WaitClock | undefined => {
    if (!DURING_CALLS.has(kind)) return undefined;
    const clock = waitClocks.get(server) ?? createWaitClock();
    waitClocks.set(server, clock);
    return clock;
  };

  let isNotifying = false;
  const notify = (): void => {
    if (isNotifying) return;
    isNotifying = true;
    setImmediate(() => {
      isNotifying = false;
      onChange();
    });
  };

  /** Settles the item with a decision, or returns why the decision does not fit. */
  const submit = ({ item, check, settle }: PendingDecision, decision: Decision): string | undefined => {
    const mismatch = answerProblem(item, decision) ?? check?.(decision);
    if (mismatch === undefined) settle(decision);
    return mismatch;
  };

  const reportMismatch = ({ item }: PendingDecision, why: string): void =>
    reportProblem(
      item.server,
      `The answer to the ${item.kind} with the id ${item.id} does not fit, so it waits for another one: ${why}`,
    );

  /** Takes an answer of another program from the store. An invalid one is quarantined. */
  const takeAnswer = async (id: string): Promise<void> => {
    let mismatch: string | undefined;
    try {
      const answer = await store.get(`answers/${id}`);
      const found = waiting.get(id);
      if (answer === undefined || found === undefined) return;
      mismatch = submit(found, parseDecision(answer));
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof UnreadableError)) throw error;
      mismatch = error.message;
    }
    const found = waiting.get(id);
    if (mismatch === undefined || found === undefined) return;
    await store.quarantine(`answers/${id}`);
    reportMismatch(found, mismatch);
  };

  const takeAnswers = async (): Promise<void> => {
    for (const id of await store.list('answers')) if (waiting.has(id)) await takeAnswer(id);
  };
  let takingAnswers: Promise<void> | undefined;
  let hasNewAnswers = false;
  const stop = store.watch('answers', () => {
    if (waiting.size === 0) return;
    hasNewAnswers = true;
    takingAnswers ??= (async () => {
      while (hasNewAnswers) {
        hasNewAnswers = false;
        // A failed read is repeated at the next change.
        await takeAnswers().catch(() => {});
      }
    })().finally(() => (takingAnswers = undefined));
  });

  /** Runs the decision handler of this program. If it fails, the item is denied automatically. */
  const runHandler = async (handler: DecisionHandler, pending: PendingDecision, signal: AbortSignal): Promise<void> => {
    const { item } = pending;
    let mismatch: string | undefined;
    try {
      const decision: unknown = await handler(item, { signal });
      if (!signal.aborted) mismatch = submit(pending, parseDecision(decision));
    } catch (error) {
      mismatch = messageOf(error);
    }
    if (mismatch === undefined || signal.aborted) return;
    reportProblem(
      item.server,
      `The decision handler failed for an item of the kind ${item.kind}, so it is denied: ${mismatch}`,
    );
    pending.settle(automaticDenial(item, 'No decision: the decision handler failed'));
  };

  const waitForDecision = async (item: Item, { signal, check }: DecideOptions): Promise<Decision> => {
    const settled = new AbortController();
    try {
      return await new Promise<Decision>((resolve, reject) => {
        const abort = (): void => reject(signal?.reason as Error);
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true, signal: settled.signal });
        const settle = (decision: Decision): void => {
          settled.abort();
          if (waiting.delete(item.id)) notify();
          resolve(decision);
        };
        const pending: PendingDecision = { item, check, settle };
        waiting.set(item.id, pending);
        notify();
        takeAnswer(item.id).catch(() => {});
        const handler = handlerOf(item);
        if (handler !== undefined) void runHandler(handler, pending, settled.signal);
      });
    } finally {
      settled.abort();
      if (waiting.delete(item.id)) notify();
    }
  };

  const keepAndWait = async (proposed: Item, options: DecideOptions): Promise<Decision> => {
    const { signal: _signal, check: _check, ...context } = options;
    const id = await records.add(proposed, context);
    const item = { ...proposed, id };
    interrupted.onAsked(item, context);
    let decision: Decision;
    try {
      decision = await waitForDecision(item, options);
    } catch (error) {
      // The record stays for another program, which can resume the call or ask again.
      if (closed || interrupted.isResumed(id)) records.abandon(id);
      else await records.complete(id).catch(() => false);
      throw error;
    }
    interrupted.onAnswered(id, decision);
    const isOurs = interrupted.has(id) ? await records.markAnswered(id, decision) : await records.complete(id);
    if (isOurs) return decision;
    return automaticDenial(item, 'Another host took over this item');
  };

  const limitProblem = ({ server }: Item): string | undefined => {
    const all = [...reserved.values()].reduce((sum, count) => sum + count, 0);
    if (all >= MAX_WAITING) return `More than ${MAX_WAITING} items already wait for a decision`;
    // A server that floods the queue must not block the others.
    if ((reserved.get(server) ?? 0) < MAX_WAITING_PER_SERVER) return undefined;
    return `More than ${MAX_WAITING_PER_SERVER} items of the server '${server}' already wait for a decision`;
  };

  return {
    async decide(item, options) {
      options.signal?.throwIfAborted();
      const full = limitProblem(item);
      if (full !== undefined) return automaticDenial(item, full);
      const { server } = item;
      const waitClock = waitClockOf(item);
      reserved.set(server, (reserved.get(server) ?? 0) + 1);
      waitClock?.begin();
      try {
        return await keepAndWait(item, options);
      } finally {
        waitClock?.end();
        const remaining = reserved.get(server)! - 1;
        if (remaining === 0) reserved.delete(server);
        else reserved.set(server, remaining);
      }
    },
    items: () => [...waiting.values()].map(({ item }) => item),
    waitedMs: (server) => waitClocks.get(server)?.elapsed() ?? 0,
    answer(id, decision) {
      const checked = parseDecision(decision);
      const found = waiting.get(id);
      if (found === undefined) return false;
      const mismatch = submit(found, checked);
      if (mismatch !== undefined) reportMismatch(found, mismatch);
      return mismatch === undefined;
    },
    trackCall: (work) => interrupted.track(work, () => closed),
    takeInterrupted: (wants) => interrupted.take(wants),
    async close() {
      closed = true;
      stop();
      await records.close();
    },
  };
}
