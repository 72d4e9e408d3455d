import { type StateStore, UnreadableError } from '../state/state-store.ts';
import { parseDecision, automaticDenial } from './decision.ts';
import { answerProblem } from './form-check.ts';
import type { Decision, Item } from './item.ts';
import type { ItemContext } from './record.ts';
import { createInterruptedCalls, type InterruptedCall } from './interrupted-calls.ts';
import { createPendingRecords } from './records.ts';
import { messageOf } from '../values/message-of.ts';

/** Somebody who decides in this program: a user interface. What it does not want to decide it never resolves. */
export type Decider = (item: Item, context: { readonly signal: AbortSignal }) => Decision | Promise<Decision>;

export interface DecideOptions extends ItemContext {
  readonly signal?: AbortSignal;
  /** Why a decision does not fit, or undefined. The item goes on waiting for one that does. */
  readonly check?: (decision: Decision) => string | undefined;
}

/** Where what waits for a person lies, and where answers come in: of this program, or of another one that uses the same folder. */
export interface DecisionQueue {
  /**
   * Waits for the decision. The item is kept meanwhile, and stays when this program ends: an equal one then has the same id, and the answer
   * that was given. With `call`, another program can go on with it. Rejects with the signal's reason.
   */
  decide(item: Item, options: DecideOptions): Promise<Decision>;
  /** What waits in this program, under the ids it has. */
  items(): readonly Item[];
  /** Says whether the item was waiting, and the answer fits it. Throws a `TypeError` for what is no decision. */
  answer(id: string, decision: Decision): boolean;
  /** Takes calls that wait in no program any more, of servers that somebody wants. */
  takeInterrupted(wants: (server: string) => boolean): Promise<InterruptedCall[]>;
  /** From now on what is given up stays kept. */
  close(): Promise<void>;
}

export interface DecisionQueueOptions {
  readonly store: StateStore;
  /** Who decides in this program, if somebody does. */
  deciderOf(item: Item): Decider | undefined;
  /** Something began to wait, or ceased to. Many changes at once are told once. */
  onChange(): void;
  /** Tells what a person should know. `server` is empty where it is about none. */
  reportProblem(server: string, message: string): void;
}

/** Most that wait at once, and most of one server; then it is refused: somebody is flooding. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_SERVER = 250;

interface PendingDecision {
  readonly item: Item;
  readonly check: DecideOptions['check'];
  settle(decision: Decision): void;
}

export const createDecisionQueue = ({
  store,
  deciderOf,
  onChange: changed,
  reportProblem,
}: DecisionQueueOptions): DecisionQueue => {
  const records = createPendingRecords(store, reportProblem);
  const waiting = new Map<string, PendingDecision>();
  const interrupted = createInterruptedCalls(records);
  /** How many places are taken by the items of each server. */
  const reserved = new Map<string, number>();
  let closed = false;

  let isNotifying = false;
  const notify = (): void => {
    if (isNotifying) return;
    isNotifying = true;
    setImmediate(() => {
      isNotifying = false;
      changed();
    });
  };

  /** Settles what waits with what somebody said, or says why it goes on waiting. */
  const submit = ({ item, check, settle }: PendingDecision, decision: Decision): string | undefined => {
    const wrong = answerProblem(item, decision) ?? check?.(decision);
    if (wrong === undefined) settle(decision);
    return wrong;
  };

  const reportMismatch = ({ item }: PendingDecision, why: string): void =>
    reportProblem(
      item.server,
      `An answer does not fit, so the ${item.kind} with the id ${item.id} waits for another one: ${why}`,
    );

  /** Takes the answer of another program. One that is none is set aside. */
  const takeAnswer = async (id: string): Promise<void> => {
    let wrong: string | undefined;
    try {
      const answer = await store.get(`answers/${id}`);
      const found = waiting.get(id);
      if (answer === undefined || found === undefined) return;
      wrong = submit(found, parseDecision(answer));
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof UnreadableError)) throw error;
      wrong = error.message;
    }
    const found = waiting.get(id);
    if (wrong === undefined || found === undefined) return;
    await store.quarantine(`answers/${id}`);
    reportMismatch(found, wrong);
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
        // What cannot be read now is looked for again with the next change.
        await takeAnswers().catch(() => {});
      }
    })().finally(() => (takingAnswers = undefined));
  });

  /** Asks the function of this program that decides. Its failure is a refusal, but not one by a person. */
  const runDecider = async (decider: Decider, pending: PendingDecision, signal: AbortSignal): Promise<void> => {
    const { item } = pending;
    let wrong: string | undefined;
    try {
      const decision: unknown = await decider(item, { signal });
      if (!signal.aborted) wrong = submit(pending, parseDecision(decision));
    } catch (error) {
      wrong = messageOf(error);
    }
    if (wrong === undefined || signal.aborted) return;
    reportProblem(item.server, `The function that decides about a ${item.kind} failed, so it is denied: ${wrong}`);
    pending.settle(automaticDenial(item, 'No decision: the function that decides failed'));
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
        const decider = deciderOf(item);
        if (decider !== undefined) void runDecider(decider, pending, settled.signal);
      });
    } finally {
      settled.abort();
      if (waiting.delete(item.id)) notify();
    }
  };

  const keepAndWait = async (wanted: Item, options: DecideOptions): Promise<Decision> => {
    const { signal: _signal, check: _check, ...belongings } = options;
    const id = await records.add(wanted, belongings);
    const item = { ...wanted, id };
    interrupted.onAsked(item, belongings);
    let decision: Decision;
    try {
      decision = await waitForDecision(item, options);
    } catch (error) {
      // What another program can go on with, or can ask again, stays.
      if (closed || interrupted.has(id)) records.abandon(id);
      else await records.complete(id).catch(() => false);
      throw error;
    }
    interrupted.onAnswered(id, decision);
    if (await records.complete(id)) return decision;
    return automaticDenial(item, 'Another host has gone on with it meanwhile');
  };

  const limitProblem = ({ server }: Item): string | undefined => {
    const all = [...reserved.values()].reduce((sum, count) => sum + count, 0);
    if (all >= MAX_WAITING) return `More than ${MAX_WAITING} things wait for a decision already`;
    // One that floods must not keep the others from being decided about.
    if ((reserved.get(server) ?? 0) < MAX_WAITING_PER_SERVER) return undefined;
    return `More than ${MAX_WAITING_PER_SERVER} things of the server '${server}' wait for a decision already`;
  };

  return {
    async decide(item, options) {
      options.signal?.throwIfAborted();
      const full = limitProblem(item);
      if (full !== undefined) return automaticDenial(item, full);
      const { server } = item;
      reserved.set(server, (reserved.get(server) ?? 0) + 1);
      try {
        return await keepAndWait(item, options);
      } finally {
        const left = reserved.get(server)! - 1;
        if (left === 0) reserved.delete(server);
        else reserved.set(server, left);
      }
    },
    items: () => [...waiting.values()].map(({ item }) => item),
    answer(id, decision) {
      const checked = parseDecision(decision);
      const found = waiting.get(id);
      if (found === undefined) return false;
      const wrong = submit(found, checked);
      if (wrong !== undefined) reportMismatch(found, wrong);
      return wrong === undefined;
    },
    takeInterrupted: (wants) => interrupted.take(wants),
    async close() {
      closed = true;
      stop();
      await records.close();
    },
  };
};
