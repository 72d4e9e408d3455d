import type { LogPart, Store } from './store.ts';

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
}

/** The values of a log, as JSON. Removing the first value takes constant time on average. */
class Log {
  #values: string[] = [];
  /** The index of the first value that is still kept. */
  #start = 0;
  /** How many values have been removed. */
  gone = 0;

  get length(): number {
    return this.#values.length - this.#start;
  }

  /** Adds a value, and returns its position. */
  push(json: string): number {
    return this.#values.push(json) - this.#start + this.gone;
  }

  /** Removes the first value. */
  shift(): string {
    const first = this.#values[this.#start]!;
    this.#values[this.#start++] = '';
    this.gone++;
    if (this.#start > COMPACT_FROM && this.#start * 2 > this.#values.length) {
      this.#values = this.#values.slice(this.#start);
      this.#start = 0;
    }
    return first;
  }

  /** The kept values, without the first `count` of them. */
  from(count: number): readonly string[] {
    return this.#values.slice(this.#start + count);
  }
}

/** The array is compacted when it has more removed places than this, and more than kept values. */
const COMPACT_FROM = 1_000;

/**
 * A store in the memory of this process; the default. Beyond its limits the oldest entries are removed first. All methods return at once.
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
export function memoryStore({
  maxEntries = 100_000,
  maxCharacters = 64 * 1024 * 1024,
  maxLogCharacters = 4 * 1024 * 1024,
  now = () => performance.now(),
}: MemoryStoreOptions = {}): Store {
  const kept = new Map<string, StoredEntry>();
  let characters = 0;
  const remove = (key: string): void => {
    const found = kept.get(key);
    if (found === undefined) return;
    characters -= found.characters;
    kept.delete(key);
  };
  const alive = (key: string): StoredEntry | undefined => {
    const found = kept.get(key);
    if (found === undefined || found.expires > now()) return found;
    remove(key);
    return undefined;
  };
  /** Removes the oldest entries until the limits are kept. */
  const trim = (): void => {
    const at = now();
    for (const [oldest, { expires }] of kept) {
      if (kept.size <= maxEntries && characters <= maxCharacters && expires > at) break;
      remove(oldest);
    }
  };
  const count = (entry: StoredEntry, difference: number): void => {
    entry.characters += difference;
    characters += difference;
  };
  const put = (key: string, value: unknown, lifeMs: number): void => {
    const json = JSON.stringify(value) ?? 'null';
    remove(key);
    const entry: StoredEntry = { json, expires: now() + lifeMs, characters: 0 };
    kept.set(key, entry);
    count(entry, key.length + json.length);
    trim();
  };
  const logOf = (key: string): StoredEntry & { readonly log: Log } => {
    const found = alive(key);
    if (found?.log !== undefined) return found as StoredEntry & { readonly log: Log };
    remove(key);
    const made = { json: '', expires: 0, log: new Log(), characters: 0 };
    kept.set(key, made);
    count(made, key.length);
    return made;
  };
  return {
    get(key) {
      const found = alive(key);
      return found === undefined || found.log !== undefined ? undefined : JSON.parse(found.json);
    },
    set: put,
    add(key, value, lifeMs) {
      if (alive(key) !== undefined) return false;
      put(key, value, lifeMs);
      return true;
    },
    swap(key, before, after, lifeMs) {
      const found = alive(key);
      if (found === undefined || found.log !== undefined || found.json !== JSON.stringify(before)) return false;
      put(key, after, lifeMs);
      return true;
    },
    delete: remove,
    append(key, value, lifeMs) {
      const entry = logOf(key);
      // Logs that are still written to are removed last.
      kept.delete(key);
      kept.set(key, entry);
      const json = JSON.stringify(value) ?? 'null';
      entry.expires = now() + lifeMs;
      const position = entry.log.push(json);
      count(entry, json.length);
      while (entry.characters > maxLogCharacters && entry.log.length > 1) count(entry, -entry.log.shift().length);
      trim();
      return position;
    },
    read(key, after): LogPart | undefined {
      const found = alive(key);
      if (found?.log === undefined) return undefined;
      const { log } = found;
      const from = Math.max(0, after - log.gone);
      return { first: log.gone + from + 1, values: log.from(from).map((json): unknown => JSON.parse(json)) };
    },
  };
}
