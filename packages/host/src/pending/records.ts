import { randomUUID } from 'node:crypto';
import { isName, type StateStore, UnreadableError } from '../state/state-store.ts';
import { createLease } from '../state/lease.ts';
import type { Decision, Item } from './item.ts';
import { type ItemContext, isPendingRecord, type PendingRecord, recordKey } from './record.ts';
import { removeExpired } from './remove-expired.ts';

/** The stored items. Several hosts may share the store: each record belongs to one host at a time, or to a host that has ended. */
export interface PendingRecords {
  /**
   * Stores an item, and resolves with its id. If a host that ended left an equal item, its record is taken over, with its id and any answer
   * to it.
   */
  add(item: Item, context: ItemContext): Promise<string>;
  /** Deletes the record of a decided item. False if another host has taken it over. */
  complete(id: string): Promise<boolean>;
  /** Stores the decision about an item of a tracked call in its record. False if another host has taken it over. */
  markAnswered(id: string, decision: Decision): Promise<boolean>;
  /** Stops using the record, but leaves it in the store. */
  abandon(id: string): void;
  /** Takes over the resumable calls of hosts that have ended, if `wants` accepts their items. */
  claim(wants: (item: Item) => boolean): Promise<PendingRecord[]>;
  /** Registers a waiting item as belonging to a call of this host. Returns its record. */
  track(record: Omit<PendingRecord, 'owner'>): PendingRecord;
  /** Stores a tracked record again, with the answer to it, so that the item is decided as soon as it waits again. */
  restore(record: PendingRecord, answer: unknown): Promise<void>;
  /** Deletes a tracked record, unless another host has taken it over. */
  release(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Minimum time between reads of what other hosts have stored. */
const FRESH_MS = 1_000;
/** Minimum time between removals of expired records. */
const CLEANUP_MS = 60_000;

/** A record that was read, and its key. */
interface KnownRecord {
  readonly key: string;
  readonly record: PendingRecord;
}

/** `reportProblem` reports a problem to the person; `server` is empty if no server is concerned. */
export function createPendingRecords(
  store: StateStore,
  reportProblem: (server: string, message: string) => void,
): PendingRecords {
  const lease = createLease(store);
  const cache = new Map<string, KnownRecord>();
  /** Ids of items that wait in this host, from the moment they get an id. */
  const active = new Set<string>();
  /** Ids of the items of calls that this host makes or resumes. */
  const claimed = new Set<string>();
  const unreadable = new Set<string>();
  let freshAt = -Infinity;
  let cleanedAt = -Infinity;
  let refreshing: Promise<void> | undefined;

  const remember = (record: PendingRecord): void =>
    void cache.set(record.item.id, { key: recordKey(record.item, record), record });

  /** Reads a record. An invalid one is quarantined. */
  const read = async (id: string): Promise<PendingRecord | undefined> => {
    const name = `pending/${id}`;
    let why = 'it is not a valid record';
    try {
      const value = await store.get(name);
      if (value === undefined || isPendingRecord(value, id)) return value;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      why = error.message;
    }
    await store.quarantine(name);
    reportProblem(
      '',
      `The item ${name} in the state folder was invalid, and was renamed to a file that ends in .bad: ${why}`,
    );
    return undefined;
  };

  const readNew = async (id: string): Promise<void> => {
    try {
      const record = await read(id);
      if (record !== undefined) remember(record);
      unreadable.delete(id);
    } catch (error) {
      if (!unreadable.has(id))
        reportProblem('', `The item pending/${id} in the state folder cannot be read: ${String(error)}`);
      unreadable.add(id);
    }
  };

  const refresh = async (): Promise<void> => {
    const names = new Set(await store.list('pending'));
    for (const id of cache.keys()) if (!names.has(id)) cache.delete(id);
    for (const id of names) if (!cache.has(id) && !active.has(id)) await readNew(id);
    freshAt = performance.now();
  };

  const ensureFresh = async (maxAgeMs: number): Promise<void> => {
    if (performance.now() - freshAt < maxAgeMs) return;
    await (refreshing ??= refresh().finally(() => (refreshing = undefined)));
  };

  /** Takes over a record if its host has ended. The lock lets one host at a time check and take. */
  const take = (id: string): Promise<PendingRecord | undefined> =>
    store.withLock('pending', async () => {
      const record = await read(id);
      if (record !== undefined) remember(record);
      else cache.delete(id);
      // A claimed record may have been released in the meantime; it still belongs to this host, and has to be deleted.
      const isOurs = claimed.has(id) || record?.owner === lease.id;
      if (record === undefined || !(isOurs || (await lease.isGone(record.owner)))) return undefined;
      const taken = { ...record, owner: lease.id };
      await store.put(`pending/${id}`, taken);
      remember(taken);
      return taken;
    });

  const takeOverEqual = async (key: string): Promise<string | undefined> => {
    const equal = [...cache.values()]
      .filter((one) => one.key === key)
      .sort((a, b) => a.record.item.at - b.record.item.at);
    for (const { record } of equal) {
      const { id } = record.item;
      if (active.has(id) || !(claimed.has(id) || (await lease.isGone(record.owner))) || active.has(id)) continue;
      active.add(id);
      const taken = await take(id).catch(() => undefined);
      if (taken !== undefined) return id;
      active.delete(id);
    }
    return undefined;
  };

  /** An id that has no record, and whose old answer, if any, is removed. */
  const reserveNewId = async (preferredId: string, isForeseeable: boolean): Promise<string> => {
    const id =
      active.has(preferredId) || !isName(preferredId) || preferredId.includes('/') ? randomUUID() : preferredId;
    active.add(id);
    if (isForeseeable && id === preferredId && (await store.get(`pending/${id}`).catch(() => null)) !== undefined) {
      active.delete(id);
      return reserveNewId(randomUUID(), false);
    }
    await store.remove(`answers/${id}`);
    return id;
  };

  const remove = async (id: string): Promise<void> => {
    cache.delete(id);
    await Promise.all([store.remove(`pending/${id}`), store.remove(`answers/${id}`)]);
  };

  /** An item no longer waits: updates its record if it still belongs to this host. Resolves to whether it does. */
  const end = async (id: string, update: (record: PendingRecord) => Promise<void>): Promise<boolean> => {
    try {
      const record = (await store.get(`pending/${id}`)) as PendingRecord | undefined;
      if (record?.owner !== lease.id) return false;
      await update(record);
    } finally {
      active.delete(id);
    }
    return true;
  };

  const removeOld = async (): Promise<void> => {
    if (performance.now() - cleanedAt < CLEANUP_MS) return;
    cleanedAt = performance.now();
    const free = [...cache.values()].flatMap(({ record }) =>
      active.has(record.item.id) || claimed.has(record.item.id) ? [] : [record],
    );
    for (const { item, call } of await removeExpired(store, lease, free)) {
      cache.delete(item.id);
      if (call !== undefined)
        reportProblem(item.server, 'An interrupted call waited too long at a question, and was abandoned');
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
    complete: (id) => end(id, () => remove(id)),
    markAnswered: (id, answered) =>
      end(id, async (record) => {
        await store.put(`pending/${id}`, { ...record, answered } satisfies PendingRecord);
        await store.remove(`answers/${id}`);
      }),
    abandon: (id) => void active.delete(id),
    async claim(wants) {
      await lease.begin();
      await ensureFresh(0);
      await removeOld();
      const found: PendingRecord[] = [];
      for (const { record } of [...cache.values()].sort((a, b) => a.record.item.at - b.record.item.at)) {
        const { id } = record.item;
        const isFree = record.call !== undefined && !active.has(id) && !claimed.has(id) && wants(record.item);
        if (!isFree || !(await lease.isGone(record.owner)) || active.has(id)) continue;
        active.add(id);
        const taken = await take(id).finally(() => active.delete(id));
        if (taken?.call === undefined) continue;
        claimed.add(id);
        found.push(taken);
      }
      return found;
    },
    track(record) {
      const taken = { ...record, owner: lease.id };
      claimed.add(record.item.id);
      remember(taken);
      return taken;
    },
    async restore({ answered: _answered, ...record }, answer) {
      await store.put(`pending/${record.item.id}`, record);
      remember(record);
      await store.put(`answers/${record.item.id}`, answer);
    },
    async release(id) {
      claimed.delete(id);
      if (active.has(id)) return;
      const record = (await store.get(`pending/${id}`)) as PendingRecord | undefined;
      // Another host may have taken it over.
      if (record === undefined || record.owner === lease.id) await remove(id);
    },
    close: () => lease.close(),
  };
}
