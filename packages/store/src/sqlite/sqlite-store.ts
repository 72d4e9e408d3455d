import { noRoomError, roomFor } from '@tenon/values/room';
import type { LogPart, Store } from 'tenon/http';
import { endOfPrefix, keyBytes, keyOf } from '../key-bytes.ts';
import type { EngineOptions } from '../options.ts';
import { type EntryRow, prepareStatements, type Size, type Statements } from './statements.ts';
import type { StoreFile } from './store-file.ts';

type Maybe<T> = T | Promise<T>;

/** How often, in milliseconds, a process looks for expired entries, and how many it removes at once. */
const SWEEP_MS = 100;
const SWEEP = 50;
/** The number of such steps before a value is refused for lack of room. */
const STEPS_FOR_ROOM = 20;
/** The maximum number of keys that are listed at once. */
const MAX_LIMIT = 2 ** 31 - 1;

/**
 * A store in a file. Each method is one statement, or one transaction that holds the write lock from its beginning, so it is atomic. Expiry
 * uses the clock of the machine, which all processes share. Values stored with `add`, and their replacements, are forced to the disk,
 * because they record that something has happened.
 */
export class SqliteStore implements Store {
  readonly #file: StoreFile;
  readonly #options: EngineOptions;
  readonly #statements: Statements;
  #sweptAt = -Infinity;

  constructor(file: StoreFile, options: EngineOptions) {
    this.#file = file;
    this.#options = options;
    this.#statements = prepareStatements(file);
  }

  get(key: string): Maybe<unknown> {
    return this.#file.read(() => {
      const json = this.#statements.json(keyBytes(key), this.#now());
      return json === undefined ? undefined : JSON.parse(json);
    });
  }

  set(key: string, value: unknown, lifeMs: number): Maybe<void> {
    const json = jsonOf(value);
    return this.#file.write('written', (force) => this.#set(key, json, lifeMs, { now: this.#begin(), force }));
  }

  add(key: string, value: unknown, lifeMs: number, owner?: string): Maybe<boolean> {
    const json = jsonOf(value);
    return this.#file.write('forced-to-disk', () => {
      const now = this.#begin();
      const before = this.#statements.entry(keyBytes(key));
      if (before !== undefined && before.expires > now) return false;
      const ownerBytes = owner === undefined ? null : keyBytes(owner);
      return this.#put(key, json, { expires: now + lifeMs, added: true, owner: ownerBytes }, before, now) ?? true;
    });
  }

  swap(key: string, before: unknown, after: unknown, lifeMs: number): Maybe<boolean> {
    const expected = JSON.stringify(before);
    const json = jsonOf(after);
    return this.#file.write('written', (force) => {
      const now = this.#begin();
      if (expected === undefined || this.#statements.json(keyBytes(key), now) !== expected) return false;
      return this.#set(key, json, lifeMs, { now, force }) ?? true;
    });
  }

  keys(prefix: string, after: string | undefined, limit: number): Maybe<readonly string[]> {
    // The smallest key after another one is that key with the smallest code unit appended.
    const from = after === undefined || after < prefix ? prefix : `${after}\0`;
    const most = Math.min(Math.max(Math.trunc(limit), 0), MAX_LIMIT);
    return this.#file.read(() =>
      this.#statements.keys(keyBytes(from), endOfPrefix(prefix), this.#now(), most).map((bytes) => keyOf(bytes)),
    );
  }

  delete(key: string): Maybe<void> {
    return this.#file.write('written', (force) => {
      this.#begin();
      if (this.#statements.entry(keyBytes(key))?.added === 1) force();
      this.#statements.removeKey(keyBytes(key));
    });
  }

  append(key: string, value: unknown, lifeMs: number): Maybe<number> {
    const json = jsonOf(value);
    return this.#file.write('written', () => {
      const now = this.#begin();
      const log = this.#logOf(key, now);
      const at = log.last + 1;
      this.#statements.appendValue(log.id, at, json);
      const cut = this.#cut(log, json.length);
      const { next } = this.#statements.totals();
      const written = log.written === next - 1 ? log.written : next;
      this.#statements.updateLog(log.id, { expires: now + lifeMs, last: at, written, ...cut });
      this.#trim();
      return at;
    });
  }

  read(key: string, after: number): Maybe<LogPart | undefined> {
    return this.#file.read(() => {
      const found = this.#statements.logPart(keyBytes(key), after, this.#now());
      if (found === undefined) return undefined;
      const { gone, texts } = found;
      return { first: Math.max(after, gone) + 1, values: texts.map((json): unknown => JSON.parse(json)) };
    });
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  /** Begins a change: removes a few expired entries, if it is time to. Returns the time. */
  #begin(): number {
    const now = this.#now();
    if (Math.abs(now - this.#sweptAt) < SWEEP_MS) return now;
    const more = this.#statements.removeExpired(now, SWEEP) + this.#statements.removeLogValues(SWEEP) >= SWEEP;
    if (!more) this.#sweptAt = now;
    return now;
  }

  #set(
    key: string,
    json: string,
    lifeMs: number,
    { now, force }: { readonly now: number; readonly force: () => void },
  ): void | RangeError {
    const before = this.#statements.entry(keyBytes(key));
    const kept = before !== undefined && before.added === 1 && before.expires > now ? before : undefined;
    if (kept !== undefined) force();
    const entry = { expires: now + lifeMs, added: kept !== undefined, owner: kept?.owner ?? null };
    return this.#put(key, json, entry, before, now);
  }

  /** Stores a value in place of the existing one. Returns the error if there is no room for it. */
  #put(
    key: string,
    json: string,
    entry: { readonly expires: number; readonly added: boolean; readonly owner: Uint8Array | null },
    before: EntryRow | undefined,
    now: number,
  ): void | RangeError {
    const size = key.length + json.length;
    if (entry.added) {
      const counted = before?.added === 1 && before.expires > now ? before.size : undefined;
      const more = { entries: counted === undefined ? 1 : 0, characters: size - (counted ?? 0) };
      const refused = this.#refusal(more, entry.owner, now);
      if (refused !== undefined) return refused;
    }
    this.#statements.removeKey(keyBytes(key));
    this.#statements.insert({ ...entry, key: keyBytes(key), size, json });
    this.#trim();
    return undefined;
  }

  /** The error if there is no room for more values that have to stay. Some expired entries are removed first. */
  #refusal(more: Size, owner: Uint8Array | null, now: number): RangeError | undefined {
    const { maxEntries: entries, maxCharacters: characters } = this.#options;
    for (let step = 0; ; step++) {
      const { added } = this.#statements.totals();
      const own = owner === null ? undefined : this.#statements.ofOwner(owner);
      const room = roomFor(more, { most: { entries, characters }, added, own });
      if (room === 'enough') return undefined;
      if (step === STEPS_FOR_ROOM || this.#statements.removeExpired(now, SWEEP) === 0)
        return noRoomError(room, `the store ${this.#file.path}`);
    }
  }

  /** Removes the oldest evictable entries until the limits are met. */
  #trim(): void {
    const { maxEntries, maxCharacters } = this.#options;
    for (;;) {
      const { entries, characters } = this.#statements.totals().all;
      if (entries <= maxEntries && characters <= maxCharacters) return;
      if (this.#statements.removeOldest() === 0) return;
    }
  }

  /** The log of a key. Any other entry of the key is removed. */
  #logOf(key: string, now: number): EntryRow {
    const bytes = keyBytes(key);
    const found = this.#statements.entry(bytes);
    if (found?.isLog === 1 && found.expires > now) return found;
    this.#statements.removeKey(bytes);
    this.#statements.insert({ key: bytes, expires: now, added: false, owner: null, size: key.length, json: null });
    return this.#statements.entry(bytes)!;
  }

  /** Removes the first values of a log that a new value has made too large. Returns its size, and how many are gone. */
  #cut(log: EntryRow, more: number): { readonly size: number; readonly gone: number } {
    const { maxLogCharacters } = this.#options;
    let size = log.size + more;
    let { gone } = log;
    if (size > maxLogCharacters) {
      for (const value of this.#statements.values(log.id)) {
        // The new value is kept, however large it is.
        if (size <= maxLogCharacters || value.at === log.last + 1) break;
        size -= value.size;
        gone = value.at;
      }
      this.#statements.removeFirst(log.id, gone);
    }
    return { size, gone };
  }
}

/** A value as JSON. Values that JSON cannot represent become null. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
