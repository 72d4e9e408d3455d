import type { Store } from 'tenon';
import { createSealer, type Sealer, toBase64Url } from 'tenon/internal/auth';

/** The encrypted storage of the proxy. The names of its entries are digests that do not reveal the ids. */
export interface Vault {
  readonly sealer: Sealer;
  put(kind: string, id: string, value: unknown, lifeMs: number): Promise<void>;
  get(kind: string, id: string): Promise<unknown>;
  /** Gets and deletes a value. Only the first caller on any node gets it. */
  take(kind: string, id: string): Promise<unknown>;
  /** Marks an id as used. Returns whether it was not marked before. */
  mark(kind: string, id: string, lifeMs: number): Promise<boolean>;
  isMarked(kind: string, id: string): Promise<boolean>;
  drop(kind: string, id: string): Promise<void>;
  /** Runs `run` while no other node holds the lock for the same id. */
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
/** How long a taken value stays marked. */
const TAKEN_MS = 3_600_000;
/** Maximum duration of a lock, longer than a request to the provider takes. */
const LOCK_MS = 15_000;
const RETRY_MS = 25;

/** `owner` separates vaults: one with another owner cannot read the entries, even with the same store and keys. */
export function createVault(store: Store, keys: readonly string[], owner: string): Vault {
  if (keys.length === 0 || keys.some((key) => key.length < MIN_KEY))
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
  const vault: Vault = {
    sealer,
    async put(kind, id, value, lifeMs) {
      const key = await keyOf(kind, id);
      await store.set(key, await sealer.seal(value, key, lifeMs), lifeMs);
    },
    async get(kind, id) {
      const key = await keyOf(kind, id);
      return sealer.open(await store.get(key), key);
    },
    async take(kind, id) {
      const value = await vault.get(kind, id);
      if (value === undefined || !(await vault.mark(kind, id, TAKEN_MS))) return undefined;
      await vault.drop(kind, id);
      return value;
    },
    mark: async (kind, id, lifeMs) => store.add(`${await keyOf(kind, id)}/used`, 1, lifeMs),
    isMarked: async (kind, id) => (await store.get(`${await keyOf(kind, id)}/used`)) !== undefined,
    drop: async (kind, id) => store.delete(await keyOf(kind, id)),
    async withLock(kind, id, run) {
      const key = `${await keyOf(kind, id)}/busy`;
      const deadline = performance.now() + LOCK_MS;
      // The lock of a node that crashed expires.
      while (!(await store.add(key, 1, LOCK_MS)) && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      try {
        return await run();
      } finally {
        await store.delete(key);
      }
    },
  };
  return vault;
}
