import type { Logger } from '../protocol/log.ts';

/**
 * Seals what a client carries for the server: nobody can read or change it, it is bound to a context and it
 * expires. AES-256-GCM (NIST SP 800-38D) by Web Crypto, the context as additional data.
 */
export interface Sealer {
  /** Seals a JSON value for `lifeMs` milliseconds. */
  seal(value: unknown, context: string, lifeMs: number): Promise<string>;
  /** The value; undefined for anything that was not sealed here, for this context, or not lately. The reason is not told. */
  open(sealed: unknown, context: string): Promise<unknown>;
}

const MIN_SECRET = 16;

/** A sealer whose code is loaded when something is sealed or opened. Throws a `TypeError` for a key that is too short to be one. */
export const createLazySealer = (keys: readonly string[] | undefined, log: Logger): Sealer => {
  for (const key of keys ?? []) {
    if (key.length < MIN_SECRET) throw new TypeError(`A sealing key needs at least ${MIN_SECRET} characters; take 32 random bytes`);
  }
  let loaded: Promise<Sealer> | undefined;
  const load = (): Promise<Sealer> => (loaded ??= import('./seal.ts').then(({ createSealer }) => createSealer(keys, log)));
  return {
    seal: async (value, context, lifeMs) => (await load()).seal(value, context, lifeMs),
    open: async (sealed, context) => (await load()).open(sealed, context),
  };
};
