import { randomUUID } from 'node:crypto';
import { isName, type StateStore, UnreadableError } from '../state/state-store.ts';
import { createLease, type Lease } from '../state/lease.ts';
import type { Decision, Item } from './item.ts';
import { type ItemContext, isPendingRecord, type PendingRecord, recordKey } from './record.ts';
import { removeExpired } from './remove-expired.ts';

/** Reports a problem to the person; `server` is empty if no server is concerned. */
type ReportProblem = (server: string, message: string) => void;

/** Minimum interval between reads of records that other hosts have stored. */
const FRESH_MS = 1_000;
/** Minimum time between removals of expired records. */
const CLEANUP_MS = 60_000;

/** A record that was read, and its key. */
interface KnownRecord {
  readonly key: string;
  readonly record: PendingRecord;
}

/** The stored items. Several hosts may share the store: each record belongs to one host at a time, or to a host that has ended. */
export class PendingRecords {
  readonly #store: StateStore;
  readonly #reportProblem: ReportProblem;
  readonly #lease: Lease;
  readonly #cache = new Map<string, KnownRecord>();
  /** Ids of items that wait in this host, from the moment they get an id. */
  readonly #active = new Set<string>();
  /** Ids of the items of calls that this host makes or resumes. */
  readonly #claimed = new Set<string>();
  readonly #unreadable = new Set<string>();
  #freshAt = -Infinity;
  #cleanedAt = -Infinity;
  #refreshing: Promise<void> | undefined;

  constructor(store: StateStore, reportProblem: ReportProblem) {
    this.#store = store;
    this.#reportProblem = reportProblem;
    this.#lease = createLease(store);
  }

  /**
   * Stores an item, and resolves with it as it is kept. If a host that ended left an equal item, its record is taken over, with its id and
   * any answer to it.
   */
  async add(item: Item, context: ItemContext): Promise<Item> {
    await this.#lease.begin();
    await this.#ensureFresh(FRESH_MS);
    const earlier = await this.#takeOverEqual(recordKey(item, context));
    const kept =
      earlier === undefined
        ? { ...item, id: await this.#reserveNewId(item.id, context.call !== undefined) }
        : continued(item, earlier);
    try {
      await this.#put({ item: kept, owner: this.#lease.id, ...context });
    } catch (error) {
      this.#active.delete(kept.id);
      throw error;
    }
    return kept;
  }

  /** Deletes the record of a decided item. False if another host has taken it over. */
  complete(id: string): Promise<boolean> {
    return this.#end(id, () => this.#remove(id));
  }

  /** Stores the decision about an item of a tracked call in its record. False if another host has taken it over. */
  markAnswered(id: string, decision: Decision): Promise<boolean> {
    return this.#end(id, async (record) => {
      await this.#put({ ...record, answered: decision });
      await this.#store.remove(`answers/${id}`);
    });
  }

  /** Stops using the record, but leaves it in the store. */
  abandon(id: string): void {
    this.#active.delete(id);
  }

  /** Takes over the resumable calls of hosts that have ended, if `wants` accepts their items. */
  async claim(wants: (item: Item) => boolean): Promise<PendingRecord[]> {
    await this.#lease.begin();
    await this.#ensureFresh(0);
    await this.#removeOld();
    const found: PendingRecord[] = [];
    for (const { record } of [...this.#cache.values()].sort(byTime)) {
      const { id } = record.item;
      const isFree = record.call !== undefined && !this.#isInUse(id) && wants(record.item);
      if (!isFree || !(await this.#lease.isGone(record.owner)) || this.#active.has(id)) continue;
      this.#active.add(id);
      const taken = await this.#take(id).finally(() => this.#active.delete(id));
      if (taken?.call === undefined) continue;
      this.#claimed.add(id);
      found.push(taken);
    }
    return found;
  }

  /** Registers a waiting item as belonging to a call of this host. Returns its record. */
  track(record: Omit<PendingRecord, 'owner'>): PendingRecord {
    const taken = { ...record, owner: this.#lease.id };
    this.#claimed.add(record.item.id);
    this.#remember(taken);
    return taken;
  }

  /** Stores a tracked record again, with the answer to it, so that the item is decided as soon as it waits again. */
  async restore({ answered: _answered, ...record }: PendingRecord, answer: unknown): Promise<void> {
    await this.#put(record);
    this.#remember(record);
    await this.#store.put(`answers/${record.item.id}`, answer);
  }

  /** Deletes a tracked record, unless another host has taken it over. */
  async release(id: string): Promise<void> {
    this.#claimed.delete(id);
    if (this.#active.has(id)) return;
    const record = (await this.#store.get(`pending/${id}`)) as PendingRecord | undefined;
    // Another host may have taken it over.
    if (record === undefined || record.owner === this.#lease.id) await this.#remove(id);
  }

  close(): Promise<void> {
    return this.#lease.close();
  }

  #remember(record: PendingRecord): void {
    this.#cache.set(record.item.id, { key: recordKey(record.item, record), record });
  }

  #put(record: PendingRecord): Promise<void> {
    return this.#store.put(`pending/${record.item.id}`, record);
  }

  /** Does the item wait in this host, or belong to a call of it? */
  #isInUse(id: string): boolean {
    return this.#active.has(id) || this.#claimed.has(id);
  }

  /** Reads a record. An invalid one is quarantined. */
  async #read(id: string): Promise<PendingRecord | undefined> {
    const name = `pending/${id}`;
    let why = 'it is not a valid record';
    try {
      const value = await this.#store.get(name);
      if (value === undefined || isPendingRecord(value, id)) return value;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      why = error.message;
    }
    await this.#store.quarantine(name);
    this.#reportProblem(
      '',
      `The item ${name} in the state folder was invalid, and was renamed to a file that ends in .bad: ${why}`,
    );
    return undefined;
  }

  async #readNew(id: string): Promise<void> {
    try {
      const record = await this.#read(id);
      if (record !== undefined) this.#remember(record);
      this.#unreadable.delete(id);
    } catch (error) {
      if (!this.#unreadable.has(id))
        this.#reportProblem('', `The item pending/${id} in the state folder cannot be read: ${String(error)}`);
      this.#unreadable.add(id);
    }
  }

  async #ensureFresh(maxAgeMs: number): Promise<void> {
    if (performance.now() - this.#freshAt < maxAgeMs) return;
    await (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
  }

  async #refresh(): Promise<void> {
    const names = new Set(await this.#store.list('pending'));
    for (const id of this.#cache.keys()) if (!names.has(id)) this.#cache.delete(id);
    for (const id of names) if (!this.#cache.has(id) && !this.#active.has(id)) await this.#readNew(id);
    this.#freshAt = performance.now();
  }

  /** Takes over a record if its host has ended. The lock lets one host at a time check and take. */
  #take(id: string): Promise<PendingRecord | undefined> {
    return this.#store.withLock('pending', async () => {
      const record = await this.#read(id);
      if (record !== undefined) this.#remember(record);
      else this.#cache.delete(id);
      // A claimed record may have been released in the meantime; it still belongs to this host, and has to be deleted.
      const isOurs = this.#claimed.has(id) || record?.owner === this.#lease.id;
      if (record === undefined || !(isOurs || (await this.#lease.isGone(record.owner)))) return undefined;
      const taken = { ...record, item: isOurs ? record.item : asResumed(record), owner: this.#lease.id };
      await this.#put(taken);
      this.#remember(taken);
      return taken;
    });
  }

  async #takeOverEqual(key: string): Promise<Item | undefined> {
    const equal = [...this.#cache.values()].filter((one) => one.key === key).sort(byTime);
    for (const { record } of equal) {
      const { id } = record.item;
      if (this.#active.has(id)) continue;
      const isFree = this.#claimed.has(id) || (await this.#lease.isGone(record.owner));
      if (!isFree || this.#active.has(id)) continue;
      this.#active.add(id);
      const taken = await this.#take(id).catch(() => undefined);
      if (taken !== undefined) return taken.item;
      this.#active.delete(id);
    }
    return undefined;
  }

  /** An id that has no record, and whose old answer, if any, is removed. */
  async #reserveNewId(preferredId: string, isForeseeable: boolean): Promise<string> {
    const canUse = !this.#active.has(preferredId) && isName(preferredId) && !preferredId.includes('/');
    const id = canUse ? preferredId : randomUUID();
    this.#active.add(id);
    if (
      isForeseeable &&
      id === preferredId &&
      (await this.#store.get(`pending/${id}`).catch(() => null)) !== undefined
    ) {
      this.#active.delete(id);
      return this.#reserveNewId(randomUUID(), false);
    }
    await this.#store.remove(`answers/${id}`);
    return id;
  }

  async #remove(id: string): Promise<void> {
    this.#cache.delete(id);
    await Promise.all([this.#store.remove(`pending/${id}`), this.#store.remove(`answers/${id}`)]);
  }

  /** An item no longer waits: updates its record if it still belongs to this host. Resolves to whether it does. */
  async #end(id: string, update: (record: PendingRecord) => Promise<void>): Promise<boolean> {
    try {
      const record = (await this.#store.get(`pending/${id}`)) as PendingRecord | undefined;
      if (record?.owner !== this.#lease.id) return false;
      await update(record);
    } finally {
      this.#active.delete(id);
    }
    return true;
  }

  async #removeOld(): Promise<void> {
    if (performance.now() - this.#cleanedAt < CLEANUP_MS) return;
    this.#cleanedAt = performance.now();
    const free = [...this.#cache.values()].flatMap(({ record }) => (this.#isInUse(record.item.id) ? [] : [record]));
    for (const { item, call } of await removeExpired(this.#store, this.#lease, free)) {
      this.#cache.delete(item.id);
      if (call !== undefined)
        this.#reportProblem(item.server, 'An interrupted call waited too long at a question, and was abandoned');
    }
  }
}

/** The item of a record that another host has left. Only a call can be resumed; anything else is asked anew. */
function asResumed({ item, call }: PendingRecord): Item {
  return call !== undefined && item.kind === 'question' ? { ...item, resumed: true } : item;
}

/** An item that is proposed again: with the id of the earlier one, and the time when it was first asked. */
function continued(item: Item, earlier: Item): Item {
  const { id, at } = earlier;
  if (item.kind !== 'question' || earlier.kind !== 'question' || earlier.resumed !== true) return { ...item, id };
  return { ...item, id, at, resumed: true };
}

function byTime(a: KnownRecord, b: KnownRecord): number {
  return a.record.item.at - b.record.item.at;
}
