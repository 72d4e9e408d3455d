import type { Maybe } from '../protocol/maybe.ts';

/**
 * Stores state of a server that outlives one request. Values are JSON. An implementation that several processes share makes sessions, state
 * and results work across them. Methods may return a value or a promise.
 *
 * Where the store cannot be reached now, has too much to do, or has no memory or disk left, a method throws, or rejects with, an error whose
 * `code` is `unavailable`, `busy` or `full`, after a bounded time. The operation may have been carried out nevertheless. The server then
 * refuses requests that need the store (HTTP: status 503 with `Retry-After`), continues all others, and needs no restart when the store is
 * back. Any other error counts as an internal error.
 */
export interface Store {
  /** The value of a key; undefined if there is none, or if it has expired. */
  get(key: string): Maybe<unknown>;
  /** Stores a value for `lifeMs` milliseconds, in place of the previous one. */
  set(key: string, value: unknown, lifeMs: number): Maybe<void>;
  /**
   * Stores a value only if the key has none; returns whether it did. Such a value records that something has happened: an effect, a
   * revocation, the use of a code. It must be kept until it expires or is deleted, whatever else is stored; a store without room has to
   * reject instead. A store that outlives the process has to write it to disk before it returns. `owner`: the caller for whom it is stored.
   * A store with little room should not let one owner take all of it.
   */
  add(key: string, value: unknown, lifeMs: number, owner?: string): Maybe<boolean>;
  /** Replaces a value only if it is still equal to `before`, compared as JSON; returns whether it did. */
  swap(key: string, before: unknown, after: unknown, lifeMs: number): Maybe<boolean>;
  /**
   * The keys of values that begin with a text, in ascending order of their code units, after the key `after`; at most `limit` of them.
   * Expired values are left out.
   */
  keys(prefix: string, after: string | undefined, limit: number): Maybe<readonly string[]>;
  /** Removes a value or a log. */
  delete(key: string): Maybe<void>;
  /** Appends a value to a log and returns its position: 1, 2, 3 … Extends the life of the log to `lifeMs` milliseconds from now. */
  append(key: string, value: unknown, lifeMs: number): Maybe<number>;
  /** The values of a log after a position (0: from its beginning); undefined if there is no such log. */
  read(key: string, after: number): Maybe<LogPart | undefined>;
}

/** A part of a log. */
export interface LogPart {
  /** The position of the first value. If it is greater than `after + 1`, the values in between have been removed. */
  readonly first: number;
  /** The values in order. */
  readonly values: readonly unknown[];
}
