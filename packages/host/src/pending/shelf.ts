import { randomUUID } from 'node:crypto';
import { isName, type Keep, UnreadableError } from '../state/keep.ts';
import { createLease } from '../state/lease.ts';
import type { Item } from './item.ts';
import { type Belongings, isKept, type Kept, keyOf } from './kept.ts';
import { sweep } from './sweep.ts';

/** Where items lie that several hosts may share: each is of one host at a time, or of none any more. */
export interface Shelf {
  /** Takes a place for an item. One that an equal item has left is taken with its id, and with the answer that may wait for it. */
  place(item: Item, belongings: Belongings): Promise<string>;
  /** Gives the place free, and what lies there away. False: another host has it meanwhile. */
  clear(id: string): Promise<boolean>;
  /** Gives the place free; what lies there stays. */
  leave(id: string): void;
  /** Takes the calls that wait in no host any more, as far as somebody wants them. */
  claim(wants: (item: Item) => boolean): Promise<Kept[]>;
  /** What waits in this host is what a call that it goes on with has come to. Gives it as it lies there. */
  own(kept: Omit<Kept, 'owner'>): Kept;
  /** What was claimed is put back, with its answer. */
  restore(kept: Kept, answer: unknown): Promise<void>;
  /** What was claimed is over. */
  release(id: string): Promise<void>;
  close(): Promise<void>;
}

/** What others have done meanwhile is looked at so often. */
const FRESH_MS = 1_000;
/** Too much, and too old, is given away so often. */
const SWEEP_MS = 60_000;

/** What is known of something that lies there without being read again. */
interface Known {
  readonly key: string;
  readonly kept: Kept;
}

/** `problem`: tells a person what had to be done without one. `server` is empty where it is about none. */
export const createShelf = (keep: Keep, problem: (server: string, message: string) => void): Shelf => {
  const lease = createLease(keep);
  const known = new Map<string, Known>();
  /** Ids of what waits in this host, from the moment on that it gets one. */
  const taken = new Set<string>();
  /** Ids of calls that this host goes on with. */
  const claimed = new Set<string>();
  const unreadable = new Set<string>();
  let freshAt = -Infinity;
  let sweptAt = -Infinity;
  let refreshing: Promise<void> | undefined;

  const remember = (kept: Kept): void => void known.set(kept.item.id, { key: keyOf(kept.item, kept), kept });

  /** What lies there. What nobody can use is set aside. */
  const read = async (id: string): Promise<Kept | undefined> => {
    const name = `pending/${id}`;
    let why = `it is not what a host keeps there`;
    try {
      const value = await keep.get(name);
      if (value === undefined || isKept(value, id)) return value;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      why = error.message;
    }
    await keep.setAside(name);
    problem('', `What waited as ${name} in the state folder is set aside, as a file that ends in .bad: ${why}`);
    return undefined;
  };

  const readNew = async (id: string): Promise<void> => {
    try {
      const kept = await read(id);
      if (kept !== undefined) remember(kept);
      unreadable.delete(id);
    } catch (error) {
      if (!unreadable.has(id))
        problem('', `What waits as pending/${id} in the state folder cannot be read: ${String(error)}`);
      unreadable.add(id);
    }
  };

  const refresh = async (): Promise<void> => {
    const names = new Set(await keep.list('pending'));
    for (const id of known.keys()) if (!names.has(id)) known.delete(id);
    for (const id of names) if (!known.has(id) && !taken.has(id)) await readNew(id);
    freshAt = performance.now();
  };

  const refreshed = async (most: number): Promise<void> => {
    if (performance.now() - freshAt < most) return;
    await (refreshing ??= refresh().finally(() => (refreshing = undefined)));
  };

  /** Makes it this host's, if it is of none. Only one host at a time looks and takes. */
  const take = (id: string): Promise<Kept | undefined> =>
    keep.locked('pending', async () => {
      const kept = await read(id);
      if (kept !== undefined) remember(kept);
      else known.delete(id);
      // What was claimed may have been released meanwhile; it is this host's all the same, and has to be cleared.
      const isOurs = claimed.has(id) || kept?.owner === lease.id;
      if (kept === undefined || !(isOurs || (await lease.isGone(kept.owner)))) return undefined;
      const own = { ...kept, owner: lease.id };
      await keep.put(`pending/${id}`, own);
      remember(own);
      return own;
    });

  const adopt = async (key: string): Promise<string | undefined> => {
    const equal = [...known.values()].filter((one) => one.key === key).sort((a, b) => a.kept.item.at - b.kept.item.at);
    for (const { kept } of equal) {
      const { id } = kept.item;
      if (taken.has(id) || !(claimed.has(id) || (await lease.isGone(kept.owner))) || taken.has(id)) continue;
      taken.add(id);
      const own = await take(id).catch(() => undefined);
      if (own !== undefined) return id;
      taken.delete(id);
    }
    return undefined;
  };

  /** An id of which nothing is known: no answer can wait for it. */
  const begin = async (wanted: string, isForeseeable: boolean): Promise<string> => {
    const id = taken.has(wanted) || !isName(wanted) || wanted.includes('/') ? randomUUID() : wanted;
    taken.add(id);
    if (isForeseeable && id === wanted && (await keep.get(`pending/${id}`).catch(() => null)) !== undefined) {
      taken.delete(id);
      return begin(randomUUID(), false);
    }
    await keep.remove(`answers/${id}`);
    return id;
  };

  const remove = async (id: string): Promise<void> => {
    known.delete(id);
    await Promise.all([keep.remove(`pending/${id}`), keep.remove(`answers/${id}`)]);
  };

  const tidy = async (): Promise<void> => {
    if (performance.now() - sweptAt < SWEEP_MS) return;
    sweptAt = performance.now();
    const free = [...known.values()].flatMap(({ kept }) =>
      taken.has(kept.item.id) || claimed.has(kept.item.id) ? [] : [kept],
    );
    for (const { item, call } of await sweep(keep, lease, free)) {
      known.delete(item.id);
      if (call !== undefined)
        problem(item.server, 'A call that was left at a question has waited for too long, and is given up');
    }
  };

  return {
    async place(item, belongings) {
      await lease.begin();
      await refreshed(FRESH_MS);
      const id = (await adopt(keyOf(item, belongings))) ?? (await begin(item.id, belongings.call !== undefined));
      try {
        await keep.put(`pending/${id}`, { item: { ...item, id }, owner: lease.id, ...belongings } satisfies Kept);
      } catch (error) {
        taken.delete(id);
        throw error;
      }
      return id;
    },
    async clear(id) {
      try {
        const kept = (await keep.get(`pending/${id}`)) as Kept | undefined;
        if (kept?.owner !== lease.id) return false;
        await remove(id);
      } finally {
        taken.delete(id);
      }
      return true;
    },
    leave: (id) => void taken.delete(id),
    async claim(wants) {
      await lease.begin();
      await refreshed(0);
      await tidy();
      const found: Kept[] = [];
      for (const { kept } of [...known.values()].sort((a, b) => a.kept.item.at - b.kept.item.at)) {
        const { id } = kept.item;
        const isFree = kept.call !== undefined && !taken.has(id) && !claimed.has(id) && wants(kept.item);
        if (!isFree || !(await lease.isGone(kept.owner)) || taken.has(id)) continue;
        taken.add(id);
        const own = await take(id).finally(() => taken.delete(id));
        if (own?.call === undefined) continue;
        claimed.add(id);
        found.push(own);
      }
      return found;
    },
    own(kept) {
      const own = { ...kept, owner: lease.id };
      claimed.add(kept.item.id);
      remember(own);
      return own;
    },
    async restore(kept, answer) {
      await keep.put(`pending/${kept.item.id}`, kept);
      remember(kept);
      await keep.put(`answers/${kept.item.id}`, answer);
    },
    async release(id) {
      claimed.delete(id);
      if (!taken.has(id)) await remove(id);
    },
    close: () => lease.close(),
  };
};
