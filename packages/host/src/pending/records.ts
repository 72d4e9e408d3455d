import { randomUUID } from 'node:crypto';
import { isName, type StateStore, UnreadableError } from '../state/state-store.ts';
import { createLease } from '../state/lease.ts';
import type { Item } from './item.ts';
import { type ItemContext, isPendingRecord, type PendingRecord, recordKey } from './record.ts';
import { removeExpired } from './remove-expired.ts';

/** Where items lie that several hosts may share: each is of one host at a time, or of none any more. */
export interface PendingRecords {
  /** Takes a place for an item. One that an equal item has left is taken with its id, and with the answer that may wait for it. */
  add(item: Item, context: ItemContext): Promise<string>;
  /** Gives the place free, and what lies there away. False: another host has it meanwhile. */
  complete(id: string): Promise<boolean>;
  /** Gives the place free; what lies there stays. */
  abandon(id: string): void;
  /** Takes the calls that wait in no host any more, as far as somebody wants them. */
  claim(wants: (item: Item) => boolean): Promise<PendingRecord[]>;
  /** What waits in this host is what a call that it goes on with has come to. Gives it as it lies there. */
  track(kept: Omit<PendingRecord, 'owner'>): PendingRecord;
  /** What was claimed is put back, with its answer. */
  restore(record: PendingRecord, answer: unknown): Promise<void>;
  /** What was claimed is over. */
  release(id: string): Promise<void>;
  close(): Promise<void>;
}

/** What others have done meanwhile is looked at so often. */
const FRESH_MS = 1_000;
/** Too much, and too old, is given away so often. */
const CLEANUP_MS = 60_000;

/** What is known of something that lies there without being read again. */
interface KnownRecord {
  readonly key: string;
  readonly record: PendingRecord;
}

/** `problem`: tells a person what had to be done without one. `server` is empty where it is about none. */
export const createPendingRecords = (
  store: StateStore,
  reportProblem: (server: string, message: string) => void,
): PendingRecords => {
  const lease = createLease(store);
  const known = new Map<string, KnownRecord>();
  /** Ids of what waits in this host, from the moment on that it gets one. */
  const active = new Set<string>();
  /** Ids of calls that this host goes on with. */
  const claimed = new Set<string>();
  const unreadable = new Set<string>();
  let freshAt = -Infinity;
  let cleanedAt = -Infinity;
  let refreshing: Promise<void> | undefined;

  const remember = (record: PendingRecord): void =>
    void known.set(record.item.id, { key: recordKey(record.item, record), record });

  /** What lies there. What nobody can use is set aside. */
  const read = async (id: string): Promise<PendingRecord | undefined> => {
    const name = `pending/${id}`;
    let why = `it is not what a host keeps there`;
    try {
      const value = await store.get(name);
      if (value === undefined || isPendingRecord(value, id)) return value;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      why = error.message;
    }
    await store.quarantine(name);
    reportProblem('', `What waited as ${name} in the state folder is set aside, as a file that ends in .bad: ${why}`);
    return undefined;
  };

  const readNew = async (id: string): Promise<void> => {
    try {
      const record = await read(id);
      if (record !== undefined) remember(record);
      unreadable.delete(id);
    } catch (error) {
      if (!unreadable.has(id))
        reportProblem('', `What waits as pending/${id} in the state folder cannot be read: ${String(error)}`);
      unreadable.add(id);
    }
  };

  const refresh = async (): Promise<void> => {
    const names = new Set(await store.list('pending'));
    for (const id of known.keys()) if (!names.has(id)) known.delete(id);
    for (const id of names) if (!known.has(id) && !active.has(id)) await readNew(id);
    freshAt = performance.now();
  };

  const ensureFresh = async (maxAgeMs: number): Promise<void> => {
    if (performance.now() - freshAt < maxAgeMs) return;
    await (refreshing ??= refresh().finally(() => (refreshing = undefined)));
  };

  /** Makes it this host's, if it is of none. Only one host at a time looks and takes. */
  const take = (id: string): Promise<PendingRecord | undefined> =>
    store.withLock('pending', async () => {
      const record = await read(id);
      if (record !== undefined) remember(record);
      else known.delete(id);
      // What was claimed may have been released meanwhile; it is this host's all the same, and has to be cleared.
      const isOurs = claimed.has(id) || record?.owner === lease.id;
      if (record === undefined || !(isOurs || (await lease.isGone(record.owner)))) return undefined;
      const own = { ...record, owner: lease.id };
      await store.put(`pending/${id}`, own);
      remember(own);
      return own;
    });

  const takeOverEqual = async (key: string): Promise<string | undefined> => {
    const equal = [...known.values()]
      .filter((one) => one.key === key)
      .sort((a, b) => a.record.item.at - b.record.item.at);
    for (const { record } of equal) {
      const { id } = record.item;
      if (active.has(id) || !(claimed.has(id) || (await lease.isGone(record.owner))) || active.has(id)) continue;
      active.add(id);
      const own = await take(id).catch(() => undefined);
      if (own !== undefined) return id;
      active.delete(id);
    }
    return undefined;
  };

  /** An id of which nothing is known: no answer can wait for it. */
  const reserveNewId = async (wanted: string, isForeseeable: boolean): Promise<string> => {
    const id = active.has(wanted) || !isName(wanted) || wanted.includes('/') ? randomUUID() : wanted;
    active.add(id);
    if (isForeseeable && id === wanted && (await store.get(`pending/${id}`).catch(() => null)) !== undefined) {
      active.delete(id);
      return reserveNewId(randomUUID(), false);
    }
    await store.remove(`answers/${id}`);
    return id;
  };

  const remove = async (id: string): Promise<void> => {
    known.delete(id);
    await Promise.all([store.remove(`pending/${id}`), store.remove(`answers/${id}`)]);
  };

  const removeOld = async (): Promise<void> => {
    if (performance.now() - cleanedAt < CLEANUP_MS) return;
    cleanedAt = performance.now();
    const free = [...known.values()].flatMap(({ record }) =>
      active.has(record.item.id) || claimed.has(record.item.id) ? [] : [record],
    );
    for (const { item, call } of await removeExpired(store, lease, free)) {
      known.delete(item.id);
      if (call !== undefined)
        reportProblem(item.server, 'A call that was left at a question has waited for too long, and is given up');
    }
  };

  return {
    async add(item, context) {
      await lease.begin();
      await ensureFresh(FRESH_MS);
      const id =
        (await takeOverEqual(recordKey(item, context))) ?? (await reserveNewId(item.id, context.call !== undefined));
      try {
        await store.put(`pending/${id}`, {
          item: { ...item, id },
          owner: lease.id,
          ...context,
        } satisfies PendingRecord);
      } catch (error) {
        active.delete(id);
        throw error;
      }
      return id;
    },
    async complete(id) {
      try {
        const record = (await store.get(`pending/${id}`)) as PendingRecord | undefined;
        if (record?.owner !== lease.id) return false;
        await remove(id);
      } finally {
        active.delete(id);
      }
      return true;
    },
    abandon: (id) => void active.delete(id),
    async claim(wants) {
      await lease.begin();
      await ensureFresh(0);
      await removeOld();
      const found: PendingRecord[] = [];
      for (const { record } of [...known.values()].sort((a, b) => a.record.item.at - b.record.item.at)) {
        const { id } = record.item;
        const isFree = record.call !== undefined && !active.has(id) && !claimed.has(id) && wants(record.item);
        if (!isFree || !(await lease.isGone(record.owner)) || active.has(id)) continue;
        active.add(id);
        const own = await take(id).finally(() => active.delete(id));
        if (own?.call === undefined) continue;
        claimed.add(id);
        found.push(own);
      }
      return found;
    },
    track(kept) {
      const own = { ...kept, owner: lease.id };
      claimed.add(kept.item.id);
      remember(own);
      return own;
    },
    async restore(record, answer) {
      await store.put(`pending/${record.item.id}`, record);
      remember(record);
      await store.put(`answers/${record.item.id}`, answer);
    },
    async release(id) {
      claimed.delete(id);
      if (!active.has(id)) await remove(id);
    },
    close: () => lease.close(),
  };
};
