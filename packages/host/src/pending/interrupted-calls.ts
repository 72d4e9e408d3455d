import { AsyncLocalStorage } from 'node:async_hooks';
import type { SuspendedCall } from 'tenon/client';
import type { Decision, Item } from './item.ts';
import { type ItemContext, digestOf, type PendingRecord } from './record.ts';
import type { PendingRecords } from './records.ts';

/** A call whose program is gone, with what it takes to go on. It is this program's alone. */
export interface InterruptedCall extends Omit<PendingRecord, 'owner' | 'call'> {
  /** As it is now: it may have come to other questions since. */
  readonly call: SuspendedCall;
  /** Runs what goes on with it, so that what is asked meanwhile is known as its own. */
  resume<T>(work: (call: SuspendedCall) => Promise<T>): Promise<T>;
  /** Was everything answered that the server asked last? Then it may have been sent. */
  isAnswered(): boolean;
  /** It is to be gone on with once more, at the questions the server asked last. Answers that were given count. */
  putBack(): Promise<void>;
  /** It is done, or given up. */
  finish(): Promise<void>;
}

/** Calls of other programs that this one goes on with. */
export interface InterruptedCalls {
  has(id: string): boolean;
  /** An item begins to wait: it may be what such a call has come to. */
  onAsked(item: Item, context: ItemContext): void;
  /** An item was decided: if it is of such a call, the answer is remembered until the call is over. */
  onAnswered(id: string, decision: Decision): void;
  take(wants: (server: string) => boolean): Promise<InterruptedCall[]>;
}

/** One call at one round of questions, whatever number of them was left. It is gone on with once. */
interface Group {
  call: SuspendedCall;
  readonly records: Map<string, PendingRecord>;
  readonly answers: Map<string, Decision>;
  /** Nothing that it still asks belongs to it. */
  isFinished: boolean;
}

/** How many questions of a call are for a person. */
const countElicitations = ({ questions }: SuspendedCall): number =>
  Object.values(questions).filter(({ method }) => method === 'elicitation/create').length;

export const createInterruptedCalls = (records: PendingRecords): InterruptedCalls => {
  const groups = new Map<string, Group>();
  const byId = new Map<string, Group>();
  /** The call that what runs now goes on with. */
  const currentGroup = new AsyncLocalStorage<Group>();

  /** Those questions are answered, and the server has asked the next ones. */
  const releaseItems = async ({ records: kept, answers }: Group): Promise<void> => {
    const ids = [...kept.keys()];
    kept.clear();
    answers.clear();
    for (const id of ids) {
      byId.delete(id);
      await records.release(id);
    }
  };

  const interruptedCallOf = (key: string, group: Group, first: PendingRecord): InterruptedCall => ({
    ...first,
    get call() {
      return group.call;
    },
    resume: (work) => currentGroup.run(group, () => work(group.call)),
    isAnswered: () => group.answers.size >= Math.max(1, countElicitations(group.call)),
    async putBack() {
      for (const [id, answer] of group.answers) await records.restore(group.records.get(id)!, answer);
      group.answers.clear();
    },
    async finish() {
      groups.delete(key);
      group.isFinished = true;
      await releaseItems(group);
    },
  });

  return {
    has: (id) => byId.has(id),
    onAsked(item, { call, ...belongings }) {
      const group = currentGroup.getStore();
      // A question may still be on its way into the folder when its call is given up.
      if (
        group === undefined ||
        group.isFinished ||
        call === undefined ||
        item.kind !== 'question' ||
        byId.has(item.id)
      )
        return;
      if (digestOf(call) !== digestOf(group.call)) {
        // What cannot be removed now is swept up later.
        releaseItems(group).catch(() => {});
        group.call = call;
      }
      group.records.set(item.id, records.track({ item, call, ...belongings }));
      byId.set(item.id, group);
    },
    onAnswered: (id, decision) => void byId.get(id)?.answers.set(id, decision),
    async take(wants) {
      const found: InterruptedCall[] = [];
      for (const record of await records.claim(({ server }) => wants(server))) {
        const { item, call } = record;
        if (call === undefined) continue;
        const key = digestOf([item.server, call]);
        const known = groups.get(key);
        const group: Group = known ?? { call, records: new Map(), answers: new Map(), isFinished: false };
        groups.set(key, group);
        group.records.set(item.id, record);
        byId.set(item.id, group);
        if (known === undefined) found.push(interruptedCallOf(key, group, record));
      }
      return found;
    },
  };
};
