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
  /** Whether all questions of the last round were answered. The answers may have been sent then, also by the earlier program. */
  isAnswered(): boolean;
  /** Puts the call back to the last round of questions, to be resumed again. Answers that were given are kept. */
  putBack(): Promise<void>;
  /** The call has ended, or was abandoned. */
  finish(): Promise<void>;
}

/** The calls of this program that ask questions, and those of other programs that it resumes. */
export interface InterruptedCalls {
  /** Whether an item is a question of one of these calls. */
  has(id: string): boolean;
  /** Whether an item is a question of a call that this program resumes. */
  isResumed(id: string): boolean;
  /** Called when an item begins to wait: it may be a question of one of these calls. */
  onAsked(item: Item, context: ItemContext): void;
  /** Called when an item was decided: if it belongs to one of these calls, the answer is remembered until the call ends. */
  onAnswered(id: string, decision: Decision): void;
  /** Makes a call of this program. Its records are deleted when it ends, unless a question is still open when the queue is closed. */
  track<T>(work: () => Promise<T>, isClosed: () => boolean): Promise<T>;
  take(wants: (server: string) => boolean): Promise<InterruptedCall[]>;
}

/** A call at one round of questions, which may have several records. It is resumed once. */
interface Group {
  /** Undefined before the first question of a call that this program makes. */
  call: SuspendedCall | undefined;
  readonly isResumed: boolean;
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
  const groups = new Map<string, Group & { call: SuspendedCall }>();
  const byId = new Map<string, Group>();
  /** The call that the current asynchronous context makes or resumes. */
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

  const isAnswered = ({ call, answers }: Group): boolean =>
    call !== undefined && answers.size >= Math.max(1, countElicitations(call));

  const putBack = async ({ records: own, answers }: Group): Promise<void> => {
    for (const [id, answer] of answers) await records.restore(own.get(id)!, answer);
    answers.clear();
  };

  const interruptedCallOf = (
    key: string,
    group: Group & { readonly call: SuspendedCall },
    first: PendingRecord,
  ): InterruptedCall => ({
    ...first,
    get call() {
      return group.call;
    },
    resume: (work) => currentGroup.run(group, () => work(group.call)),
    isAnswered: () => isAnswered(group),
    putBack: () => putBack(group),
    async finish() {
      groups.delete(key);
      group.isFinished = true;
      await releaseItems(group);
    },
  });

  return {
    has: (id) => byId.has(id),
    isResumed: (id) => byId.get(id)?.isResumed === true,
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
      if (group.call === undefined || digestOf(call) !== digestOf(group.call)) {
        // A record that cannot be deleted now is removed when it expires.
        releaseItems(group).catch(() => {});
        group.call = call;
      }
      group.records.set(item.id, records.track({ item, call, ...belongings }));
      byId.set(item.id, group);
    },
    onAnswered: (id, decision) => void byId.get(id)?.answers.set(id, decision),
    async track(work, isClosed) {
      const group: Group = {
        call: undefined,
        isResumed: false,
        records: new Map(),
        answers: new Map(),
        isFinished: false,
      };
      try {
        return await currentGroup.run(group, work);
      } finally {
        group.isFinished = true;
        // A record that cannot be deleted now is removed when it expires.
        const isOver = !isClosed() || isAnswered(group);
        if (isOver && group.records.size > 0) await releaseItems(group).catch(() => {});
      }
    },
    async take(wants) {
      const found: InterruptedCall[] = [];
      const taken: Group[] = [];
      for (const record of await records.claim(({ server }) => wants(server))) {
        const { item, call } = record;
        if (call === undefined) continue;
        const key = digestOf([item.server, call]);
        const existing = groups.get(key);
        const group = existing ?? { call, isResumed: true, records: new Map(), answers: new Map(), isFinished: false };
        groups.set(key, group);
        group.records.set(item.id, record);
        if (record.answered !== undefined) group.answers.set(item.id, record.answered);
        byId.set(item.id, group);
        if (existing !== undefined) continue;
        found.push(interruptedCallOf(key, group, record));
        taken.push(group);
      }
      // The other questions are still open, so nothing was sent.
      for (const group of taken) if (!isAnswered(group)) await putBack(group);
      return found;
    },
  };
}
