import { AsyncLocalStorage } from 'node:async_hooks';
import type { SuspendedCall } from 'tenon/client';
import type { Decision, Item } from './item.ts';
import { type ItemContext, digestOf, type PendingRecord } from './record.ts';
import type { PendingRecords } from './records.ts';

/** A suspended call of a program that has ended. It belongs to this program alone. */
export interface InterruptedCall extends Omit<PendingRecord, 'owner' | 'call'> {
  /** The current state: the server may have asked other questions since. */
  readonly call: SuspendedCall;
  /** Resumes the call. Questions that are asked meanwhile belong to it. */
  resume<T>(work: (call: SuspendedCall) => Promise<T>): Promise<T>;
  /** Whether all questions of the last round were answered. The answers may have been sent then, also by the earlier program. */
  isAnswered(): boolean;
  /** Puts the call back to the last round of questions, to be resumed again. Answers that were given are kept. */
  putBack(): Promise<void>;
  /** The call has ended, or was abandoned. */
  finish(): Promise<void>;
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

/** The group of a call that another program began. */
interface ResumedGroup extends Group {
  call: SuspendedCall;
}

/** The number of questions of a call that a person answers. */
function countElicitations({ inputRequests }: SuspendedCall): number {
  return Object.values(inputRequests).filter(({ method }) => method === 'elicitation/create').length;
}

function newGroup(call: SuspendedCall | undefined, isResumed: boolean): Group {
  return { call, isResumed, records: new Map(), answers: new Map(), isFinished: false };
}

function isAnswered({ call, answers }: Group): boolean {
  return call !== undefined && answers.size >= Math.max(1, countElicitations(call));
}

/** The calls of this program that ask questions, and those of other programs that it resumes. */
export class InterruptedCalls {
  readonly #records: PendingRecords;
  readonly #groups = new Map<string, ResumedGroup>();
  readonly #byId = new Map<string, Group>();
  /** The call that the current asynchronous context makes or resumes. */
  readonly #currentGroup = new AsyncLocalStorage<Group>();

  constructor(records: PendingRecords) {
    this.#records = records;
  }

  /** Whether an item is a question of one of these calls. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Whether an item is a question of a call that this program resumes. */
  isResumed(id: string): boolean {
    return this.#byId.get(id)?.isResumed === true;
  }

  /** Called when an item begins to wait: it may be a question of one of these calls. */
  onAsked(item: Item, { call, ...belongings }: ItemContext): void {
    const group = this.#currentGroup.getStore();
    // The call may have been abandoned while its question was being stored.
    if (group === undefined || group.isFinished) return;
    if (call === undefined || item.kind !== 'question' || this.#byId.has(item.id)) return;
    if (group.call === undefined || digestOf(call) !== digestOf(group.call)) {
      // A record that cannot be deleted now is removed when it expires.
      this.#releaseItems(group).catch(() => {});
      group.call = call;
    }
    group.records.set(item.id, this.#records.track({ item, call, ...belongings }));
    this.#byId.set(item.id, group);
  }

  /** Called when an item was decided: if it belongs to one of these calls, the answer is remembered until the call ends. */
  onAnswered(id: string, decision: Decision): void {
    this.#byId.get(id)?.answers.set(id, decision);
  }

  /** Makes a call of this program. Its records are deleted when it ends, unless a question is still open when the queue is closed. */
  async track<T>(work: () => Promise<T>, isClosed: () => boolean): Promise<T> {
    const group = newGroup(undefined, false);
    try {
      return await this.#currentGroup.run(group, work);
    } finally {
      group.isFinished = true;
      // A record that cannot be deleted now is removed when it expires.
      const isOver = !isClosed() || isAnswered(group);
      if (isOver && group.records.size > 0) await this.#releaseItems(group).catch(() => {});
    }
  }

  /** Takes over calls whose programs have ended, of the servers that `wants` accepts. */
  async take(wants: (server: string) => boolean): Promise<InterruptedCall[]> {
    const found: InterruptedCall[] = [];
    const taken: Group[] = [];
    for (const record of await this.#records.claim(({ server }) => wants(server))) {
      const { item, call } = record;
      if (call === undefined) continue;
      const key = digestOf([item.server, call]);
      const existing = this.#groups.get(key);
      const group = existing ?? (newGroup(call, true) as ResumedGroup);
      this.#groups.set(key, group);
      group.records.set(item.id, record);
      if (record.answered !== undefined) group.answers.set(item.id, record.answered);
      this.#byId.set(item.id, group);
      if (existing !== undefined) continue;
      found.push(this.#interruptedCallOf(key, group, record));
      taken.push(group);
    }
    // The other questions are still open, so nothing was sent.
    for (const group of taken) if (!isAnswered(group)) await this.#putBack(group);
    return found;
  }

  #interruptedCallOf(key: string, group: ResumedGroup, first: PendingRecord): InterruptedCall {
    return {
      ...first,
      get call() {
        return group.call;
      },
      resume: (work) => this.#currentGroup.run(group, () => work(group.call)),
      isAnswered: () => isAnswered(group),
      putBack: () => this.#putBack(group),
      finish: async () => {
        this.#groups.delete(key);
        group.isFinished = true;
        await this.#releaseItems(group);
      },
    };
  }

  async #putBack({ records, answers }: Group): Promise<void> {
    for (const [id, answer] of answers) await this.#records.restore(records.get(id)!, answer);
    answers.clear();
  }

  /** Deletes the records of a round that is over. */
  async #releaseItems({ records, answers }: Group): Promise<void> {
    const ids = [...records.keys()];
    records.clear();
    answers.clear();
    for (const id of ids) {
      this.#byId.delete(id);
      await this.#records.release(id);
    }
  }
}
