import { type Keep, UnreadableError } from '../state/keep.ts';
import { checkedDecision, deniedBecause } from './decision.ts';
import { answerProblem } from './form-check.ts';
import type { Decision, Item } from './item.ts';
import type { Belongings } from './kept.ts';
import { createLeftCalls, type Left } from './left.ts';
import { createShelf } from './shelf.ts';
import { messageOf } from '../values/message-of.ts';

/** Somebody who decides in this program: a user interface. What it does not want to decide it never resolves. */
export type Decider = (item: Item, context: { readonly signal: AbortSignal }) => Decision | Promise<Decision>;

export interface DecideOptions extends Belongings {
  readonly signal?: AbortSignal;
  /** Why a decision does not fit, or undefined. The item goes on waiting for one that does. */
  readonly check?: (decision: Decision) => string | undefined;
}

/** Where what waits for a person lies, and where answers come in: of this program, or of another one that uses the same folder. */
export interface Desk {
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
  left(wants: (server: string) => boolean): Promise<Left[]>;
  /** From now on what is given up stays kept. */
  close(): Promise<void>;
}

export interface DeskOptions {
  readonly keep: Keep;
  /** Who decides in this program, if somebody does. */
  deciderOf(item: Item): Decider | undefined;
  /** Something began to wait, or ceased to. Many changes at once are told once. */
  changed(): void;
  /** Tells what a person should know. `server` is empty where it is about none. */
  problem(server: string, message: string): void;
}

/** Most that wait at once, and most of one server; then it is refused: somebody is flooding. */
const MOST_WAITING = 1_000;
const MOST_OF_SERVER = 250;

interface Waiting {
  readonly item: Item;
  readonly check: DecideOptions['check'];
  settle(decision: Decision): void;
}

export const createDesk = ({ keep, deciderOf, changed, problem }: DeskOptions): Desk => {
  const shelf = createShelf(keep, problem);
  const waiting = new Map<string, Waiting>();
  const resumed = createLeftCalls(shelf);
  /** How many places are taken by the items of each server. */
  const reserved = new Map<string, number>();
  let closed = false;

  let isToTell = false;
  const tell = (): void => {
    if (isToTell) return;
    isToTell = true;
    setImmediate(() => {
      isToTell = false;
      changed();
    });
  };

  /** Settles what waits with what somebody said, or says why it goes on waiting. */
  const submit = ({ item, check, settle }: Waiting, decision: Decision): string | undefined => {
    const wrong = answerProblem(item, decision) ?? check?.(decision);
    if (wrong === undefined) settle(decision);
    return wrong;
  };

  const refuse = ({ item }: Waiting, why: string): void =>
    problem(
      item.server,
      `An answer does not fit, so the ${item.kind} with the id ${item.id} waits for another one: ${why}`,
    );

  /** Takes the answer of another program. One that is none is set aside. */
  const takeAnswer = async (id: string): Promise<void> => {
    let wrong: string | undefined;
    try {
      const answer = await keep.get(`answers/${id}`);
      const found = waiting.get(id);
      if (answer === undefined || found === undefined) return;
      wrong = submit(found, checkedDecision(answer));
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof UnreadableError)) throw error;
      wrong = error.message;
    }
    const found = waiting.get(id);
    if (wrong === undefined || found === undefined) return;
    await keep.setAside(`answers/${id}`);
    refuse(found, wrong);
  };

  const look = async (): Promise<void> => {
    for (const id of await keep.list('answers')) if (waiting.has(id)) await takeAnswer(id);
  };
  let looking: Promise<void> | undefined;
  let isToLook = false;
  const stop = keep.watch('answers', () => {
    if (waiting.size === 0) return;
    isToLook = true;
    looking ??= (async () => {
      while (isToLook) {
        isToLook = false;
        // What cannot be read now is looked for again with the next change.
        await look().catch(() => {});
      }
    })().finally(() => (looking = undefined));
  });

  /** Asks the function of this program that decides. Its failure is a refusal, but not one by a person. */
  const ask = async (decider: Decider, waits: Waiting, signal: AbortSignal): Promise<void> => {
    const { item } = waits;
    let wrong: string | undefined;
    try {
      const decision: unknown = await decider(item, { signal });
      if (!signal.aborted) wrong = submit(waits, checkedDecision(decision));
    } catch (error) {
      wrong = messageOf(error);
    }
    if (wrong === undefined || signal.aborted) return;
    problem(item.server, `The function that decides about a ${item.kind} failed, so it is denied: ${wrong}`);
    waits.settle(deniedBecause(item, 'No decision: the function that decides failed'));
  };

  const decisionOn = async (item: Item, { signal, check }: DecideOptions): Promise<Decision> => {
    const over = new AbortController();
    try {
      return await new Promise<Decision>((resolve, reject) => {
        const abort = (): void => reject(signal?.reason as Error);
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true, signal: over.signal });
        const settle = (decision: Decision): void => {
          over.abort();
          if (waiting.delete(item.id)) tell();
          resolve(decision);
        };
        const waits: Waiting = { item, check, settle };
        waiting.set(item.id, waits);
        tell();
        takeAnswer(item.id).catch(() => {});
        const decider = deciderOf(item);
        if (decider !== undefined) void ask(decider, waits, over.signal);
      });
    } finally {
      over.abort();
      if (waiting.delete(item.id)) tell();
    }
  };

  const waited = async (wanted: Item, options: DecideOptions): Promise<Decision> => {
    const { signal: _signal, check: _check, ...belongings } = options;
    const id = await shelf.place(wanted, belongings);
    const item = { ...wanted, id };
    resumed.asked(item, belongings);
    let decision: Decision;
    try {
      decision = await decisionOn(item, options);
    } catch (error) {
      // What another program can go on with, or can ask again, stays.
      if (closed || resumed.has(id)) shelf.leave(id);
      else await shelf.clear(id).catch(() => false);
      throw error;
    }
    resumed.answered(id, decision);
    if (await shelf.clear(id)) return decision;
    return deniedBecause(item, 'Another host has gone on with it meanwhile');
  };

  const fullBecause = ({ server }: Item): string | undefined => {
    const all = [...reserved.values()].reduce((sum, count) => sum + count, 0);
    if (all >= MOST_WAITING) return `More than ${MOST_WAITING} things wait for a decision already`;
    // One that floods must not keep the others from being decided about.
    if ((reserved.get(server) ?? 0) < MOST_OF_SERVER) return undefined;
    return `More than ${MOST_OF_SERVER} things of the server '${server}' wait for a decision already`;
  };

  return {
    async decide(item, options) {
      options.signal?.throwIfAborted();
      const full = fullBecause(item);
      if (full !== undefined) return deniedBecause(item, full);
      const { server } = item;
      reserved.set(server, (reserved.get(server) ?? 0) + 1);
      try {
        return await waited(item, options);
      } finally {
        const left = reserved.get(server)! - 1;
        if (left === 0) reserved.delete(server);
        else reserved.set(server, left);
      }
    },
    items: () => [...waiting.values()].map(({ item }) => item),
    answer(id, decision) {
      const checked = checkedDecision(decision);
      const found = waiting.get(id);
      if (found === undefined) return false;
      const wrong = submit(found, checked);
      if (wrong !== undefined) refuse(found, wrong);
      return wrong === undefined;
    },
    left: (wants) => resumed.take(wants),
    async close() {
      closed = true;
      stop();
      await shelf.close();
    },
  };
};
