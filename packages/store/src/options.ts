import type { Store } from 'tenon';

/** Options of `openStore`. */
export interface StoreOptions {
  /** The maximum number of values and logs. Default 1,000,000. */
  readonly maxEntries?: number;
  /** The maximum number of characters of all keys and values as JSON together. Default 1 Gi. */
  readonly maxCharacters?: number;
  /** The maximum number of characters of one log; its oldest values are removed first. Default 4 Mi. */
  readonly maxLogCharacters?: number;
  /** How long to wait for other processes that write, in milliseconds. Default 5,000. */
  readonly busyMs?: number;
  /** The clock for expiry, in milliseconds since 1970. All processes need the same clock. Default `Date.now`. */
  readonly now?: () => number;
}

/** A store that outlives the process, and that several processes can share. */
export interface DurableStore extends Store {
  /** Closes the file, after operations that still wait for other processes. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The defaults. */
export const DEFAULTS: Required<StoreOptions> = {
  maxEntries: 1_000_000,
  maxCharacters: 1024 ** 3,
  maxLogCharacters: 4 * 1024 ** 2,
  busyMs: 5_000,
  now: () => Date.now(),
};
