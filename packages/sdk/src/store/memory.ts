import { noRoomError, type Room, roomFor, type Size } from './room.ts';
import type { LogPart, Store } from './store.ts';
import { BlockText, TextBlocks } from './text-blocks.ts';

/** Limits of a store in memory. */
export interface MemoryStoreOptions {
  /** The maximum number of values and logs. Default 100,000. */
  readonly maxEntries?: number;
  /** The maximum number of characters of all keys and values as JSON together. Default 64 Mi. */
  readonly maxCharacters?: number;
  /** The maximum number of characters of one log; its oldest values are removed first. Default 4 Mi. */
  readonly maxLogCharacters?: number;
  /** A monotonic clock in milliseconds. Default `performance.now()`: nothing in the store outlives the process. */
  readonly now?: () => number;
}

/** A value, or a log. */
interface StoredEntry {
  /** JSON, so that callers never share an object with the store. */
  json: string;
  expires: number;
  readonly log?: Log;
  characters: number;
  /** The caller for whom it was added. */
  readonly owner?: string | undefined;
}

/** How many values of a log are joined in one text. */
const BLOCK = 16;

/** A list of texts and numbers is not encoded if they have at least this many characters. */
const LONG = 1024;

/** A value of a log: JSON, or a list of texts and numbers, which is a copy that no caller has. */
type LogValue = string | readonly ListPart[];
type ListPart = string | number | BlockText;

/** Values of a log: JSON in lines, or one list. */
interface Block {
  readonly content: LogValue;
  readonly count: number;
}

function valuesOf({ content }: Block): LogValue[] {
  return typeof content === 'string' ? content.split('\n') : [content];
}

/** A value as it is kept in a log. */
function logValueOf(value: unknown, blocks: TextBlocks): LogValue {
  const list: readonly unknown[] | undefined = Array.isArray(value) ? [...value] : undefined;
  if (list === undefined || !isLongList(list)) return JSON.stringify(value) ?? 'null';
  return list.map((part) => {
    if (typeof part === 'number') return part;
    // Engines keep a concatenation in pieces until a character of it is read, and the pieces take twice as much memory.
    part.charCodeAt(0);
    return blocks.add(part);
  });
}

/**
 * Is it a list of texts and numbers that are long together, as the events of a stream are? Writing it as JSON would copy it, and escape most of
 * its quotes.
 */
function isLongList(values: readonly unknown[]): values is readonly (string | number)[] {
  const isFlat = (list: readonly unknown[]): list is readonly (string | number)[] =>
    list.every((value) => typeof value === 'string' || Number.isSafeInteger(value));
  return isFlat(values) && sizeOf(values) >= LONG;
}

function sizeOf(value: LogValue): number {
  return typeof value === 'string'
    ? value.length
    : value.reduce<number>((sum, part) => sum + (typeof part === 'number' ? String(part) : part).length + 1, 1);
}

function read(value: LogValue): unknown {
  return typeof value === 'string'
    ? JSON.parse(value)
    : value.map((part) => (part instanceof BlockText ? part.read() : part));
}

function release(value: LogValue, blocks: TextBlocks): void {
  if (typeof value !== 'string') for (const part of value) if (part instanceof BlockText) blocks.remove(part);
}

/**
 * The values of a log. Those that are JSON are kept in blocks of joined lines (JSON is one line): the garbage collector visits every text that is
 * kept, and events of streams are many and short. Adding a value, and removing the first one, take constant time on average.
 */
class Log {
  /** Values taken out of the first block, the next one last: values are removed one by one. */
  #first: LogValue[] = [];
  #blocks: (Block | undefined)[] = [];
  /** The index of the first block that is still kept. */
  #start = 0;
  /** The newest values, fewer than a block. */
  #last: string[] = [];
  /** How many values are kept. */
  length = 0;
  /** How many values have been removed. */
  gone = 0;

  /** Adds a value, and returns its position. */
  push(value: LogValue): number {
    if (typeof value === 'string') {
      if (this.#last.push(value) === BLOCK) this.#endBlock();
    } else {
      if (this.#last.length > 0) this.#endBlock();
      this.#blocks.push({ content: value, count: 1 });
    }
    return ++this.length + this.gone;
  }

  #endBlock(): void {
    this.#blocks.push({ content: this.#last.join('\n'), count: this.#last.length });
    this.#last = [];
  }

  /** Removes the first value. */
  shift(): LogValue {
    if (this.#first.length === 0) this.#first = this.#takeBlock().reverse();
    this.length--;
    this.gone++;
    return this.#first.pop()!;
  }

  #takeBlock(): LogValue[] {
    if (this.#start === this.#blocks.length) return this.#last.splice(0);
    const block = this.#blocks[this.#start]!;
    this.#blocks[this.#start++] = undefined;
    if (this.#start > COMPACT_FROM && this.#start * 2 > this.#blocks.length) {
      this.#blocks = this.#blocks.slice(this.#start);
      this.#start = 0;
    }
    return valuesOf(block);
  }

  /** Removes its texts from their blocks. The log cannot be read any more. */
  release(blocks: TextBlocks): void {
    for (const value of this.#first) release(value, blocks);
    for (let at = this.#start; at < this.#blocks.length; at++) release(this.#blocks[at]!.content, blocks);
  }

  /** The kept values, without the first `count` of them. */
  from(count: number): readonly LogValue[] {
    let rest = Math.max(0, count - this.#first.length);
    let start = this.#start;
    for (; start < this.#blocks.length && this.#blocks[start]!.count <= rest; start++)
      rest -= this.#blocks[start]!.count;
    const blocks = this.#blocks.slice(start).flatMap((block) => valuesOf(block!));
    const first = [...this.#first].reverse().slice(count);
    return [...first, ...[...blocks, ...this.#last].slice(rest)];
  }
}

/** The array of blocks is compacted when it has more removed places than this, and more removed places than kept blocks. */
const COMPACT_FROM = 100;

/**
 * When a limit is exceeded, this fraction of it is freed in addition. Removing entries one at a time would be slow: to find the first entry, a map
 * skips all those that were removed before it.
 */
const SLACK = 1 / 256;

/** The interval at which expired values are removed from those stored with `add`, in milliseconds. */
const SWEEP_MS = 100;

/**
 * A store in the memory of this process; the default. Beyond its limits the oldest entries are removed first, except values that were
 * stored with `add`: they stay for their whole life, because a second `add` has to find them. They fill at most half of the store, and
 * those of one owner at most a tenth of what is still free of it; after that `add` throws a `RangeError`, and so does `set` when it
 * replaces one with a larger value. All methods return at once.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { memoryStore, serveFetch } from 'tenon/http';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * const handler = serveFetch(app, { store: memoryStore({ maxEntries: 10_000 }) });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const store = new MemoryStore(options);
  // Separate functions instead of methods, because a program may copy some of them into its own store.
  return {
    get: (key) => store.get(key),
    set: (key, value, lifeMs) => store.set(key, value, lifeMs),
    add: (key, value, lifeMs, owner) => store.add(key, value, lifeMs, owner),
    swap: (key, before, after, lifeMs) => store.swap(key, before, after, lifeMs),
    keys: (prefix, after, limit) => store.keys(prefix, after, limit),
    delete: (key) => store.delete(key),
    append: (key, value, lifeMs) => store.append(key, value, lifeMs),
    read: (key, after) => store.read(key, after),
  };
}

class MemoryStore implements Store {
  /** Entries that may be removed to make room. */
  readonly #kept = new Map<string, StoredEntry>();
  /** Values that were stored with `add`. */
  readonly #added = new Map<string, StoredEntry>();
  /** The size of the values that were added for each owner. */
  readonly #ofOwner = new Map<string, { -readonly [Part in keyof Size]: number }>();
  readonly #options: Required<MemoryStoreOptions>;
  /** The long texts of logs. */
  readonly #texts: TextBlocks;
  #characters = 0;
  #addedCharacters = 0;
  #sweptAt = -Infinity;
  #trimmedAt = -Infinity;
  /** Of the entries that may be removed, the one that was written last. */
  #newest: StoredEntry | undefined;

  constructor({
    maxEntries = 100_000,
    maxCharacters = 64 * 1024 * 1024,
    maxLogCharacters = 4 * 1024 * 1024,
    now = () => performance.now(),
  }: MemoryStoreOptions) {
    this.#options = { maxEntries, maxCharacters, maxLogCharacters, now };
    this.#texts = new TextBlocks(maxCharacters);
  }

  get(key: string): unknown {
    const found = this.#alive(key);
    return found === undefined || found.log !== undefined ? undefined : JSON.parse(found.json);
  }

  set(key: string, value: unknown, lifeMs: number): void {
    const added = this.#added.has(key) ? this.#alive(key) : undefined;
    this.#put(key, value, lifeMs, added !== undefined, added?.owner);
  }

  add(key: string, value: unknown, lifeMs: number, owner?: string): boolean {
    if (this.#alive(key) !== undefined) return false;
    this.#put(key, value, lifeMs, true, owner);
    return true;
  }

  swap(key: string, before: unknown, after: unknown, lifeMs: number): boolean {
    const found = this.#alive(key);
    if (found === undefined || found.log !== undefined || found.json !== JSON.stringify(before)) return false;
    this.set(key, after, lifeMs);
    return true;
  }

  keys(prefix: string, after: string | undefined, limit: number): readonly string[] {
    const now = this.#options.now();
    const found: string[] = [];
    for (const entries of [this.#kept, this.#added])
      for (const [key, { expires, log }] of entries)
        if (key.startsWith(prefix) && (after === undefined || key > after) && expires > now && log === undefined)
          found.push(key);
    // oxlint-disable-next-line unicorn/no-array-sort -- the array is its own, and the order is by code units
    return found.sort().slice(0, limit);
  }

  delete(key: string): void {
    for (const entries of [this.#kept, this.#added]) {
      const found = entries.get(key);
      if (found === undefined) continue;
      entries.delete(key);
      if (found === this.#newest) this.#newest = undefined;
      found.log?.release(this.#texts);
      this.#count(entries, found, -found.characters);
      this.#countOwner(found.owner, -1);
    }
  }

  append(key: string, value: unknown, lifeMs: number): number {
    const now = this.#options.now();
    const entry = this.#logOf(key, now);
    // Logs that are still written to are removed last.
    if (entry !== this.#newest) {
      this.#kept.delete(key);
      this.#kept.set(key, entry);
      this.#newest = entry;
    }
    const kept = logValueOf(value, this.#texts);
    entry.expires = now + lifeMs;
    const position = entry.log.push(kept);
    this.#count(this.#kept, entry, sizeOf(kept));
    while (entry.characters > this.#options.maxLogCharacters && entry.log.length > 1) {
      const oldest = entry.log.shift();
      this.#count(this.#kept, entry, -sizeOf(oldest));
      release(oldest, this.#texts);
    }
    this.#trim(now);
    return position;
  }

  read(key: string, after: number): LogPart | undefined {
    const found = this.#alive(key);
    if (found?.log === undefined) return undefined;
    const { log } = found;
    const from = Math.max(0, after - log.gone);
    return { first: log.gone + from + 1, values: log.from(from).map((value) => read(value)) };
  }

  #alive(key: string, now = this.#options.now()): StoredEntry | undefined {
    const found = this.#kept.get(key) ?? this.#added.get(key);
    if (found === undefined || found.expires > now) return found;
    this.delete(key);
    return undefined;
  }

  #put(key: string, value: unknown, lifeMs: number, added: boolean, owner?: string): void {
    const json = JSON.stringify(value) ?? 'null';
    const characters = key.length + json.length;
    if (added) {
      const before = this.#added.get(key);
      this.#checkRoom({ entries: before ? 0 : 1, characters: characters - (before?.characters ?? 0) }, owner);
    }
    this.delete(key);
    const entries = added ? this.#added : this.#kept;
    const now = this.#options.now();
    const entry: StoredEntry = { json, expires: now + lifeMs, characters: 0, owner };
    entries.set(key, entry);
    if (!added) this.#newest = entry;
    this.#countOwner(owner, 1);
    this.#count(entries, entry, characters);
    this.#trim(now);
  }

  /** Throws if there is no room for more values that have to stay, or no room for this owner. */
  #checkRoom(more: Size, owner: string | undefined): void {
    const { now } = this.#options;
    if (this.#roomFor(more, owner) === 'enough') return;
    if (now() - this.#sweptAt >= SWEEP_MS) {
      this.#sweptAt = now();
      for (const [key, { expires }] of this.#added) if (expires <= now()) this.delete(key);
    }
    const room = this.#roomFor(more, owner);
    if (room !== 'enough') throw noRoomError(room, 'the store in memory');
  }

  #roomFor(more: Size, owner: string | undefined): Room {
    const { maxEntries, maxCharacters } = this.#options;
    return roomFor(more, {
      most: { entries: maxEntries, characters: maxCharacters },
      added: { entries: this.#added.size, characters: this.#addedCharacters },
      own: owner === undefined ? undefined : this.#ofOwner.get(owner),
    });
  }

  /** Removes the oldest entries until the limits are met. Expired entries are removed from time to time. */
  #trim(now: number): void {
    const { maxEntries, maxCharacters } = this.#options;
    const fits = (slack = 0): boolean =>
      this.#kept.size + this.#added.size + Math.floor(maxEntries * slack) <= maxEntries &&
      this.#characters + Math.floor(maxCharacters * slack) <= maxCharacters;
    const isFull = !fits();
    if (!isFull && now - this.#trimmedAt < SWEEP_MS) return;
    this.#trimmedAt = now;
    const slack = isFull ? SLACK : 0;
    for (const [oldest, { expires }] of this.#added) {
      if (expires > now) break;
      this.delete(oldest);
    }
    for (const [oldest, entry] of this.#kept) {
      if (entry.expires > now && (fits(slack) || (entry === this.#newest && fits()))) break;
      this.delete(oldest);
    }
  }

  #logOf(key: string, now: number): StoredEntry & { readonly log: Log } {
    const found = this.#alive(key, now);
    if (found?.log !== undefined) return found as StoredEntry & { readonly log: Log };
    if (found !== undefined) this.delete(key);
    const made = { json: '', expires: 0, log: new Log(), characters: 0 };
    this.#kept.set(key, made);
    this.#newest = made;
    this.#count(this.#kept, made, key.length);
    return made;
  }

  #count(entries: ReadonlyMap<string, StoredEntry>, entry: StoredEntry, difference: number): void {
    entry.characters += difference;
    this.#characters += difference;
    if (entries === this.#added) this.#addedCharacters += difference;
    const own = entry.owner === undefined ? undefined : this.#ofOwner.get(entry.owner);
    if (own !== undefined) own.characters += difference;
  }

  #countOwner(owner: string | undefined, difference: 1 | -1): void {
    if (owner === undefined) return;
    const own = this.#ofOwner.get(owner) ?? { entries: 0, characters: 0 };
    own.entries += difference;
    if (own.entries > 0) this.#ofOwner.set(owner, own);
    else this.#ofOwner.delete(owner);
  }
}
