import type { Maybe } from '../protocol/maybe.ts';

/**
 * Where a server keeps what outlives one request. Values are JSON. An implementation that several processes
 * share makes what is built on it work across them. Methods may answer at once or later.
 */
export interface Store {
  get(key: string): Maybe<unknown>;
  /** Keeps a value for `lifeMs` milliseconds. */
  set(key: string, value: unknown, lifeMs: number): Maybe<void>;
  /** Keeps a value only if there is none; tells whether it did. */
  add(key: string, value: unknown, lifeMs: number): Maybe<boolean>;
  /** Replaces a value only if it is still `before`, compared as JSON; tells whether it did. */
  swap(key: string, before: unknown, after: unknown, lifeMs: number): Maybe<boolean>;
  /** Forgets a value, or a log. */
  delete(key: string): Maybe<void>;
  /** Adds to the end of a log and gives the position of what was added: 1, 2, 3 … The log lives for `lifeMs` milliseconds more. */
  append(key: string, value: unknown, lifeMs: number): Maybe<number>;
  /** What a log has after a position; undefined when there is no such log. */
  read(key: string, after: number): Maybe<LogPart | undefined>;
}

/** A part of a log. */
export interface LogPart {
  /** The position of the first value. Beyond `after + 1`, what was in between is no longer kept. */
  readonly first: number;
  readonly values: readonly unknown[];
}
