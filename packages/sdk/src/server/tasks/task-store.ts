import type { Principal } from '../../protocol/request-context.ts';
import { checkFormat } from '../../store/record-format.ts';
import type { Store } from '../../store/store.ts';
import { isUnavailable, refusalOf, UnavailableError } from '../../store/unavailable.ts';
import { hasEnded, type TaskRecord } from './task-record.ts';

/** How long a task is kept beyond its time to live, so that its end can still be stored, and read by its client, in milliseconds. */
const GRACE_MS = 60_000;

/** How long a task is kept after its last change, in milliseconds. */
function lifeOf({ ttlMs }: TaskRecord): number {
  return ttlMs + GRACE_MS;
}

/** The owner of a task. Callers without a principal share one owner: for them the id of a task is its only protection. */
export type TaskOwner = string;

/** The owner of the tasks of a caller. */
export function ownerOf(principal: Pick<Principal, 'id'> | undefined): TaskOwner {
  return principal === undefined ? '-' : `=${encodeURIComponent(principal.id)}`;
}

/** Identifies a task in the store. */
export interface TaskAddress {
  readonly owner: TaskOwner;
  readonly id: string;
}

/** How long a released lease remains, in milliseconds. */
const RELEASED_MS = 1;

/** How often a change is tried again because another process changed the task at the same time. */
const MAX_TRIES = 100;
const MAYBE_CREATED =
  'The state of this server is not available now. The task may have been created, and may run: repeating the call may create a second one.';

/** The form of ids. Others are refused, because the id that a client sends becomes part of a key. */
const ID = /^[\w-]{30,64}$/;

/**
 * The tasks of one server in a store. A task is one value, changed by compare-and-set. Two more keys belong to it: one marks it as not
 * ended, so that an interrupted task is found again, and one is the lease of the process that runs it.
 */
export class TaskStore {
  /** The time in the latest id. */
  static #latest = 0;
  readonly #store: Store;
  readonly #server: string;

  constructor(store: Store, server: string) {
    this.#store = store;
    this.#server = encodeURIComponent(server);
  }

  /**
   * An id that cannot be guessed (122 random bits of a UUID). It begins with the time, so that lists of tasks are sorted by age. No two of
   * a process begin with the same: a task that is created while a client reads a list would be missing in it.
   */
  static createId(now: number): string {
    TaskStore.#latest = Math.max(now, TaskStore.#latest + 1);
    return `${TaskStore.#latest.toString(36).padStart(9, '0')}-${crypto.randomUUID()}`;
  }

  /**
   * Stores a new task, whose lease has this token. If that fails, nothing is stored, unless the store is unavailable when the task itself is
   * stored: then it may have been, and the error is an `UnavailableError` that says so. Throws a `RangeError` if the store has no room for it.
   */
  async create(address: TaskAddress, record: TaskRecord, token: string, leaseMs: number): Promise<void> {
    let isUncertain = false;
    try {
      // Callers without a principal share an owner, but each has a quota of its own.
      const quota = record.caller.quotaKey ?? address.owner;
      await this.#store.add(this.#leaseKey(address.id), token, leaseMs, quota);
      await this.#store.add(this.#openKey(address), { owner: address.owner }, lifeOf(record), quota);
      isUncertain = true;
      await this.#store.add(this.#recordKey(address), record, lifeOf(record), quota);
    } catch (error) {
      // The record comes first: without it, the others have no effect.
      const isGone = await this.#remove([this.#recordKey(address), this.#openKey(address), this.#leaseKey(address.id)]);
      if (isUncertain && !isGone && isUnavailable(error)) throw new UnavailableError(MAYBE_CREATED, false);
      throw refusalOf(error);
    }
  }

  /** Removes values, and returns whether the first one was removed. Never rejects. */
  async #remove(keys: readonly string[]): Promise<boolean> {
    const removals = keys.map(async (key) => this.#store.delete(key));
    const [first] = await Promise.allSettled(removals);
    return first?.status === 'fulfilled';
  }

  /** The task; undefined if this owner has none with this id. Rejects with a `ProtocolError` if another version has stored it. */
  async read(address: TaskAddress): Promise<TaskRecord | undefined> {
    const record = await this.readAny(address);
    if (record !== undefined) checkFormat(record, 'The task');
    return record;
  }

  /** The same for a task that another version may have stored. */
  async readAny(address: TaskAddress): Promise<TaskRecord | undefined> {
    if (!ID.test(address.id)) return undefined;
    return (await this.#store.get(this.#recordKey(address))) as TaskRecord | undefined;
  }

  /**
   * Changes a task, and retries if other processes change it at the same time. `change` returns undefined to leave it as it is. Resolves
   * with the task as it is now; undefined if there is none.
   */
  async change(
    address: TaskAddress,
    change: (record: TaskRecord) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await this.read(address);
      if (before === undefined) return undefined;
      const changed = change(before);
      if (changed === undefined) return before;
      const after = { ...changed, updatedAt: new Date().toISOString() };
      if (!(await this.#store.swap(this.#recordKey(address), before, after, lifeOf(after)))) continue;
      // If that fails, the task is checked once more.
      if (hasEnded(after)) await this.close(address).catch(() => {});
      return after;
    }
    throw new Error(`Task ${address.id} is changed by too many processes at once`);
  }

  /** Some tasks of an owner, ordered by age, after the task with this id. */
  async list(owner: TaskOwner, after: string | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const prefix = this.#recordKey({ owner, id: '' });
    const keys = await this.#store.keys(prefix, after === undefined ? undefined : prefix + after, limit);
    const found = await Promise.all(keys.map((key) => this.#store.get(key)));
    const records = found.filter((record) => record !== undefined);
    for (const record of records) checkFormat(record, 'A task');
    return records as TaskRecord[];
  }

  /** Some tasks that have not ended, after the task with this id. */
  async open(after: string | undefined, limit: number): Promise<readonly TaskAddress[]> {
    const prefix = this.#openKey({ id: '' });
    const keys = await this.#store.keys(prefix, after === undefined ? undefined : prefix + after, limit);
    const found = await Promise.all(
      keys.map(async (key) => {
        const open = (await this.#store.get(key)) as { readonly owner: TaskOwner } | undefined;
        return open === undefined ? [] : [{ owner: open.owner, id: key.slice(prefix.length) }];
      }),
    );
    return found.flat();
  }

  /** Marks a task as ended, so that it is no longer checked for interruption. */
  async close(address: TaskAddress): Promise<void> {
    await this.#store.delete(this.#openKey(address));
  }

  /** Takes the lease of a task that no process runs; returns whether it succeeded. */
  async lease({ id }: TaskAddress, token: string, leaseMs: number): Promise<boolean> {
    return this.#store.add(this.#leaseKey(id), token, leaseMs);
  }

  /** Extends a lease; returns false if it was lost. */
  async renew({ id }: TaskAddress, token: string, leaseMs: number): Promise<boolean> {
    return this.#store.swap(this.#leaseKey(id), token, token, leaseMs);
  }

  /** Releases a lease, unless another process has taken it. */
  async release({ id }: TaskAddress, token: string): Promise<void> {
    // Not deleted, because another process may take the lease between the check and the deletion.
    await this.#store.swap(this.#leaseKey(id), token, 'released', RELEASED_MS);
  }

  #recordKey({ owner, id }: TaskAddress): string {
    return `task/${this.#server}/${owner}/${id}`;
  }

  #openKey({ id }: Pick<TaskAddress, 'id'>): string {
    return `task-open/${this.#server}/${id}`;
  }

  #leaseKey(id: string): string {
    return `task-lease/${this.#server}/${id}`;
  }
}
