import { AsyncLocalStorage } from 'node:async_hooks';
import type { SuspendedCall } from 'tenon/client';
import type { Decision, Item } from './item.ts';
import { type ItemContext, digestOf, type PendingRecord } from './record.ts';
import type { PendingRecords } from './records.ts';

/** A suspended call of a program that has ended. It belongs to this program alone. */
export interface InterruptedCall extends Omit<PendingRecord, 'owner' | 'call'> {
  /** The current state: the server may have asked other questions since. */
  readonly call: SuspendedCall;
  /** Resumes the call. Questions that are asked meanwhile are recognized as belonging to it. */
  resume<T>(work: (call: SuspendedCall) => Promise<T>): Promise<T>;
  /** Whether all questions of the last round were answered. The answers may have been sent then. */
  isAnswered(): boolean;
  /** Puts the call back to the last round of questions, to be resumed again. Answers that were given are kept. */
  putBack(): Promise<void>;
  /** The call has ended, or was abandoned. */
  finish(): Promise<void>;
}

/** Calls of other programs that this one resumes. */
export interface InterruptedCalls {
  has(id: string): boolean;
  /** Called when an item begins to wait: it may be a question of a resumed call. */
  onAsked(item: Item, context: ItemContext): void;
  /** Called when an item was decided: if it belongs to a resumed call, the answer is remembered until the call ends. */
  onAnswered(id: string, decision: Decision): void;
  take(wants: (server: string) => boolean): Promise<InterruptedCall[]>;
}

/** A call at one round of questions, which may have several records. It is resumed once. */
interface Group {
  call: SuspendedCall;
  readonly records: Map<string, PendingRecord>;
  readonly answers: Map<string, Decision>;
  /** The call has ended: later questions do not belong to it. */
  isFinished: boolean;
}

/** The number of questions of a call that a person answers. */
function countElicitations({ inputRequests }: SuspendedCall): number {
  return Object.values(inputRequests).filter(({ method }) => method === 'elicitation/create').length;
}

export function createInterruptedCalls(records: PendingRecords): InterruptedCalls {
  const groups = new Map<string, Group>();
  const byId = new Map<string, Group>();
  /** The call that the current asynchronous context resumes. */
  const currentGroup = new AsyncLocalStorage<Group>();

  /** Deletes the records of a round that is over. */
  const releaseItems = async ({ records: own, answers }: Group): Promise<void> => {
    const ids = [...own.keys()];
    own.clear();
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
      // The call may have been abandoned while its question was being stored.
      if (
        group === undefined ||
        group.isFinished ||
        call === undefined ||
        item.kind !== 'question' ||
        byId.has(item.id)
      )
        return;
      if (digestOf(call) !== digestOf(group.call)) {
        // A record that cannot be deleted now is removed when it expires.
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
        const existing = groups.get(key);
        const group: Group = existing ?? { call, records: new Map(), answers: new Map(), isFinished: false };
        groups.set(key, group);
        group.records.set(item.id, record);
        byId.set(item.id, group);
        if (existing === undefined) found.push(interruptedCallOf(key, group, record));
      }
      return found;
    },
  };
}
