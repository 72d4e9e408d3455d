import { AsyncLocalStorage } from 'node:async_hooks';
import type { SuspendedCall } from 'tenon/client';
import type { Decision, Item } from './item.ts';
import { type Belongings, digestOf, type Kept } from './kept.ts';
import type { Shelf } from './shelf.ts';

/** A call whose program is gone, with what it takes to go on. It is this program's alone. */
export interface Left extends Omit<Kept, 'owner' | 'call'> {
  /** As it is now: it may have come to other questions since. */
  readonly call: SuspendedCall;
  /** Runs what goes on with it, so that what is asked meanwhile is known as its own. */
  goOn<T>(work: (call: SuspendedCall) => Promise<T>): Promise<T>;
  /** Was everything answered that the server asked last? Then it may have been sent. */
  isAnswered(): boolean;
  /** It is to be gone on with once more, at the questions the server asked last. Answers that were given count. */
  again(): Promise<void>;
  /** It is done, or given up. */
  over(): Promise<void>;
}

/** Calls of other programs that this one goes on with. */
export interface LeftCalls {
  has(id: string): boolean;
  /** An item begins to wait: it may be what such a call has come to. */
  asked(item: Item, belongings: Belongings): void;
  /** An item was decided: if it is of such a call, the answer is remembered until the call is over. */
  answered(id: string, decision: Decision): void;
  take(wants: (server: string) => boolean): Promise<Left[]>;
}

/** One call at one round of questions, whatever number of them was left. It is gone on with once. */
interface Group {
  call: SuspendedCall;
  readonly kept: Map<string, Kept>;
  readonly answers: Map<string, Decision>;
  /** Nothing that it still asks belongs to it. */
  isOver: boolean;
}

/** How many questions of a call are for a person. */
const personal = ({ questions }: SuspendedCall): number =>
  Object.values(questions).filter(({ method }) => method === 'elicitation/create').length;

export const createLeftCalls = (shelf: Shelf): LeftCalls => {
  const groups = new Map<string, Group>();
  const byId = new Map<string, Group>();
  /** The call that what runs now goes on with. */
  const going = new AsyncLocalStorage<Group>();

  /** Those questions are answered, and the server has asked the next ones. */
  const forget = async ({ kept, answers }: Group): Promise<void> => {
    const ids = [...kept.keys()];
    kept.clear();
    answers.clear();
    for (const id of ids) {
      byId.delete(id);
      await shelf.release(id);
    }
  };

  const leftOf = (key: string, group: Group, first: Kept): Left => ({
    ...first,
    get call() {
      return group.call;
    },
    goOn: (work) => going.run(group, () => work(group.call)),
    isAnswered: () => group.answers.size >= Math.max(1, personal(group.call)),
    async again() {
      for (const [id, answer] of group.answers) await shelf.restore(group.kept.get(id)!, answer);
      group.answers.clear();
    },
    async over() {
      groups.delete(key);
      group.isOver = true;
      await forget(group);
    },
  });

  return {
    has: (id) => byId.has(id),
    asked(item, { call, ...belongings }) {
      const group = going.getStore();
      // A question may still be on its way into the folder when its call is given up.
      if (group === undefined || group.isOver || call === undefined || item.kind !== 'question' || byId.has(item.id))
        return;
      if (digestOf(call) !== digestOf(group.call)) {
        // What cannot be removed now is swept up later.
        forget(group).catch(() => {});
        group.call = call;
      }
      group.kept.set(item.id, shelf.own({ item, call, ...belongings }));
      byId.set(item.id, group);
    },
    answered: (id, decision) => void byId.get(id)?.answers.set(id, decision),
    async take(wants) {
      const found: Left[] = [];
      for (const kept of await shelf.claim(({ server }) => wants(server))) {
        const { item, call } = kept;
        if (call === undefined) continue;
        const key = digestOf([item.server, call]);
        const known = groups.get(key);
        const group: Group = known ?? { call, kept: new Map(), answers: new Map(), isOver: false };
        groups.set(key, group);
        group.kept.set(item.id, kept);
        byId.set(item.id, group);
        if (known === undefined) found.push(leftOf(key, group, kept));
      }
      return found;
    },
  };
};
