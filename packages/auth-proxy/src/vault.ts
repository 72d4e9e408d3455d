import type { Store } from 'tenon';
import { createSealer, toBase64Url, withStoreLock } from 'tenon/internal/auth';

/** The encrypted storage of the proxy. The names of its entries are digests that do not reveal the ids. */
export interface Vault {
  /** Seals a value that another party keeps: nothing is stored here. */
  seal(kind: string, value: unknown, lifeMs: number): Promise<string>;
  /** A sealed value; undefined if it was not sealed here as this kind, or has expired. */
  open(kind: string, sealed: unknown): Promise<unknown>;
  /** Stores a value. It may be removed earlier if the store has no room. */
  put(kind: string, id: string, value: unknown, lifeMs: number): Promise<void>;
  /** Stores a value that is not removed to make room. Rejects if there is none. */
  keep(kind: string, id: string, value: unknown, lifeMs: number): Promise<void>;
  get(kind: string, id: string): Promise<unknown>;
  /** Gets and deletes a value. Only the first caller on any node gets it. */
  take(kind: string, id: string): Promise<unknown>;
  /** Marks an id as used, which is not forgotten to make room. Returns whether it was not marked before. */
  mark(kind: string, id: string, lifeMs: number): Promise<boolean>;
  isMarked(kind: string, id: string): Promise<boolean>;
  drop(kind: string, id: string): Promise<void>;
  /** Runs `run` while no other node holds the lock for the same id. Rejects if the lock is not free within a minute. */
  withLock<T>(kind: string, id: string, run: () => Promise<T>): Promise<T>;
}

/** 256 random bits, in base64url. */
export function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** SHA-256, in base64url. */
export async function sha256(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

const MIN_KEY = 32;
/** The placeholder for a value that was taken, until it is deleted. */
const TAKEN = 'taken';
const TAKEN_MS = 60_000;

/** `owner` separates vaults: one with another owner cannot read the entries, even with the same store and keys. */
export function createVault(store: Store, keys: Iterable<string>, owner: string): Vault {
  const now = [...keys];
  if (now.length === 0 || now.some((key) => key.length < MIN_KEY))
    throw new TypeError(
      `\`keys\` must have at least one key, each of at least ${MIN_KEY} characters; use 32 random bytes`,
    );
  const sealer = createSealer(
    keys,
    () => {},
    () => Date.now(),
  );
  const keyOf = async (kind: string, id: string): Promise<string> =>
    `tenon/oauth/${kind}/${await sha256(JSON.stringify([owner, id]))}`;
  const contextOf = (kind: string): string => JSON.stringify([owner, kind]);
  const vault: Vault = {
    seal: (kind, value, lifeMs) => sealer.seal(value, contextOf(kind), lifeMs),
    open: (kind, sealed) => sealer.open(sealed, contextOf(kind)),
    async keep(kind, id, value, lifeMs) {
      const key = await keyOf(kind, id);
      const sealed = await sealer.seal(value, key, lifeMs);
      if (!(await store.add(key, sealed, lifeMs))) await store.set(key, sealed, lifeMs);
    },
    async put(kind, id, value, lifeMs) {
      const key = await keyOf(kind, id);
      await store.set(key, await sealer.seal(value, key, lifeMs), lifeMs);
    },
    async get(kind, id) {
      const key = await keyOf(kind, id);
      return sealer.open(await store.get(key), key);
    },
    async take(kind, id) {
      const key = await keyOf(kind, id);
      const sealed = await store.get(key);
      const value = await sealer.open(sealed, key);
      if (value === undefined || !(await store.swap(key, sealed, TAKEN, TAKEN_MS))) return undefined;
      await store.delete(key);
      return value;
    },
    mark: async (kind, id, lifeMs) => store.add(`${await keyOf(kind, id)}/used`, 1, lifeMs),
    isMarked: async (kind, id) => (await store.get(`${await keyOf(kind, id)}/used`)) !== undefined,
    drop: async (kind, id) => store.delete(await keyOf(kind, id)),
    withLock: async (kind, id, run) => withStoreLock(store, `${await keyOf(kind, id)}/busy`, run),
  };
  return vault;
}
