/**
 * Where a server keeps what outlives one request. Values are JSON. An implementation that several processes
 * share makes what is built on it work across them.
 */
export interface Store {
  get(key: string): Promise<unknown>;
  /** Keeps a value for `lifeMs` milliseconds. */
  set(key: string, value: unknown, lifeMs: number): Promise<void>;
  /** Keeps a value only if there is none; tells whether it did. */
  add(key: string, value: unknown, lifeMs: number): Promise<boolean>;
  delete(key: string): Promise<void>;
}
