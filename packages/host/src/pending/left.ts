import type { Decision } from './item.ts';
import { digestOf, type Kept } from './kept.ts';
import type { Shelf } from './shelf.ts';

/** A call whose program is gone, with what it takes to go on. It is this program's alone. */
export interface Left extends Omit<Kept, 'owner' | 'call'> {
  readonly call: NonNullable<Kept['call']>;
  /** Whether a question of it was answered since. */
  isAnswered(): boolean;
  /** It is to be gone on with once more. Answers that were given count. */
  again(): Promise<void>;
  /** It is done, or given up. */
  over(): Promise<void>;
}

/** Calls of other programs that this one goes on with. */
export interface LeftCalls {
  has(id: string): boolean;
  /** An item was decided: if it is of such a call, the answer is remembered until the call is over. */
  answered(id: string, decision: Decision): void;
  take(wants: (server: string) => boolean): Promise<Left[]>;
}

/** One call, whatever number of its questions was left. It is gone on with once. */
interface Group {
  readonly kept: Map<string, Kept>;
  readonly answers: Map<string, Decision>;
}

export const createLeftCalls = (shelf: Shelf): LeftCalls => {
  const groups = new Map<string, Group>();
  const byId = new Map<string, Group>();

  const leftOf = (key: string, group: Group, first: Kept & Pick<Left, 'call'>): Left => ({
    ...first,
    isAnswered: () => group.answers.size > 0,
    async again() {
      for (const [id, answer] of group.answers) await shelf.restore(group.kept.get(id)!, answer);
      group.answers.clear();
    },
    async over() {
      groups.delete(key);
      for (const id of group.kept.keys()) {
        byId.delete(id);
        await shelf.release(id);
      }
    },
  });

  return {
    has: (id) => byId.has(id),
    answered: (id, decision) => void byId.get(id)?.answers.set(id, decision),
    async take(wants) {
      const found: Left[] = [];
      for (const kept of await shelf.claim(({ server }) => wants(server))) {
        const { item, call } = kept;
        if (call === undefined) continue;
        const key = digestOf([item.server, call]);
        const known = groups.get(key);
        const group = known ?? { kept: new Map<string, Kept>(), answers: new Map<string, Decision>() };
        groups.set(key, group);
        group.kept.set(item.id, kept);
        byId.set(item.id, group);
        if (known === undefined) found.push(leftOf(key, group, { ...kept, call }));
      }
      return found;
    },
  };
};
