import type { Store } from 'tenon';
import { createSealer, type Sealer, toBase64Url } from 'tenon/internal/auth';

/** Where the proxy keeps things: encrypted, and under names from which nobody can tell the ids they belong to. */
export interface Vault {
  readonly sealer: Sealer;
  put(kind: string, id: string, value: unknown, lifeMs: number): Promise<void>;
  get(kind: string, id: string): Promise<unknown>;
  /** Gets it for the first and last time. Whoever comes second gets nothing, on whatever node. */
  take(kind: string, id: string): Promise<unknown>;
  /** Marks it as used; tells whether it was not before. */
  mark(kind: string, id: string, lifeMs: number): Promise<boolean>;
  isMarked(kind: string, id: string): Promise<boolean>;
  drop(kind: string, id: string): Promise<void>;
  /** Runs something while no other node runs anything about the same. */
  alone<T>(kind: string, id: string, run: () => Promise<T>): Promise<T>;
}

/** 256 random bits, as text. */
export const randomId = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

/** SHA-256, base64url. */
export const sha256 = async (text: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

const MIN_KEY = 32;
/** How long it is remembered that something was taken. */
const TAKEN_MS = 3_600_000;
/** Asking a provider takes no longer. */
const BUSY_MS = 15_000;
const RETRY_MS = 25;

/** `of`: what the vault belongs to. Another with the same store and keys finds nothing of it. */
export const createVault = (store: Store, keys: readonly string[], of: string): Vault => {
  if (keys.length === 0 || keys.some((key) => key.length < MIN_KEY))
    throw new TypeError(`\`keys\` has at least one key, each of at least ${MIN_KEY} characters; take 32 random bytes`);
  const sealer = createSealer(
    keys,
    () => {},
    () => Date.now(),
  );
  const keyOf = async (kind: string, id: string): Promise<string> =>
    `tenon/oauth/${kind}/${await sha256(JSON.stringify([of, id]))}`;
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
    async alone(kind, id, run) {
      const key = `${await keyOf(kind, id)}/busy`;
      const late = performance.now() + BUSY_MS;
      // Whoever is gone has not taken it away; it goes by itself.
      while (!(await store.add(key, 1, BUSY_MS)) && performance.now() < late)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      try {
        return await run();
      } finally {
        await store.delete(key);
      }
    },
  };
  return vault;
};
