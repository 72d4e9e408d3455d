import type { SuspendedCall } from 'tenon/client';
import type { Keep } from '../state/keep.ts';
import type { Decision, Item } from './item.ts';

/** Somebody who decides in this program: a user interface. What it does not want to decide it never resolves. */
export type Decider = (item: Item, context: { readonly signal: AbortSignal }) => Decision | Promise<Decision>;

/** Where what waits for a person lies, and where answers come in: of this program, or of another one that uses the same folder. */
export interface Desk {
  /** Waits for the decision. It is kept meanwhile; with `call`, also when this program ends. Rejects with the signal's reason. */
  decide(item: Item, options: { readonly signal?: AbortSignal; readonly call?: SuspendedCall }): Promise<Decision>;
  items(): readonly Item[];
  /** Says whether the item was waiting. */
  answer(id: string, decision: Decision): boolean;
  /** Calls that wait since before this program began. */
  left(): Promise<Left[]>;
  /** A call that was left is over. */
  settled(call: SuspendedCall): Promise<void>;
  /** From now on what is given up stays kept, if another program can go on with it. */
  close(): void;
}

/** A question whose program is gone, with what it takes to go on. */
export interface Left {
  readonly item: Item;
  readonly call: SuspendedCall;
}

interface Kept {
  readonly item: Item;
  readonly pid: number;
  readonly call?: SuspendedCall;
}

/** Most that wait at once; then it is refused: somebody is flooding. */
const MOST_WAITING = 1_000;

const isDecision = (value: unknown): value is Decision =>
  typeof value === 'object' && value !== null && typeof (value as Decision).allow === 'boolean';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

export const createDesk = (keep: Keep, deciderOf: (item: Item) => Decider | undefined, changed: () => void): Desk => {
  interface Waiting {
    readonly item: Item;
    settle(decision: Decision): void;
  }
  const waiting = new Map<string, Waiting>();

  const look = async (): Promise<void> => {
    for (const id of waiting.keys()) {
      const answer = await keep.get(`answers/${id}`).catch(() => undefined);
      // An answer that is none is left for its author to correct.
      if (isDecision(answer)) waiting.get(id)?.settle(answer);
    }
  };
  let closed = false;
  let looking: Promise<void> | undefined;
  const stop = keep.watch('answers', () => {
    if (waiting.size > 0) looking ??= look().finally(() => (looking = undefined));
  });

  return {
    async decide(item, { signal, call }) {
      signal?.throwIfAborted();
      if (waiting.size >= MOST_WAITING) {
        return { allow: false, reason: `More than ${MOST_WAITING} things wait for a decision already` };
      }
      const kept: Kept = { item, pid: process.pid, ...(call === undefined ? {} : { call }) };
      await keep.put(`pending/${item.id}`, kept);
      const inner = new AbortController();
      try {
        return await new Promise<Decision>((resolve, reject) => {
          const abort = (): void => reject(signal?.reason as Error);
          if (signal?.aborted === true) return abort();
          signal?.addEventListener('abort', abort, { once: true });
          inner.signal.addEventListener('abort', () => signal?.removeEventListener('abort', abort));
          waiting.set(item.id, { item, settle: resolve });
          changed();
          void look();
          const decider = deciderOf(item);
          if (decider === undefined) return;
          Promise.resolve()
            .then(() => decider(item, { signal: inner.signal }))
            .then(resolve, (error: unknown) => {
              if (!inner.signal.aborted) reject(error as Error);
            });
        });
      } finally {
        inner.abort();
        waiting.delete(item.id);
        changed();
        const stays = closed && call !== undefined && signal?.aborted === true;
        if (!stays) await Promise.all([keep.remove(`pending/${item.id}`), keep.remove(`answers/${item.id}`)]);
      }
    },
    items: () => [...waiting.values()].map(({ item }) => item),
    answer(id, decision) {
      const found = waiting.get(id);
      found?.settle(decision);
      return found !== undefined;
    },
    async left() {
      const found: Left[] = [];
      for (const id of await keep.list('pending')) {
        if (waiting.has(id)) continue;
        const kept = (await keep.get(`pending/${id}`)) as Kept | undefined;
        if (kept === undefined || (kept.pid !== process.pid && isAlive(kept.pid))) continue;
        if (kept.call !== undefined) found.push({ item: kept.item, call: kept.call });
        // Whoever waited for a start or a call is gone with its program.
        else await keep.remove(`pending/${id}`);
      }
      return found;
    },
    async settled(call) {
      const text = JSON.stringify(call);
      for (const { item, call: other } of await this.left()) {
        if (JSON.stringify(other) === text) await keep.remove(`pending/${item.id}`);
      }
    },
    close() {
      closed = true;
      stop();
    },
  };
};

/** Things that wait for a decision in a folder, whichever program put them there. */
export const pendingIn = async (keep: Keep): Promise<Item[]> => {
  const items: Item[] = [];
  for (const id of await keep.list('pending')) {
    const kept = (await keep.get(`pending/${id}`)) as Kept | undefined;
    if (kept !== undefined) items.push(kept.item);
  }
  return items.sort((a, b) => a.at - b.at);
};

/** Answers something that waits, from another program. Says whether it was there. */
export const answerIn = async (keep: Keep, id: string, decision: Decision): Promise<boolean> => {
  if ((await keep.get(`pending/${id}`)) === undefined) return false;
  await keep.put(`answers/${id}`, decision);
  return true;
};
