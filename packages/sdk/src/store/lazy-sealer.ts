import type { Logger } from '../protocol/log.ts';
import type { Sealer } from './sealer.ts';

/** The minimum number of characters of a key. */
export const MIN_SECRET = 16;

/**
 * The sealer of a server, loaded when something is first sealed or opened. A server cannot open what another one sealed, even with the same
 * keys. Throws a `TypeError` for a key that is too short.
 */
export function createLazySealer(keys: Iterable<string> | undefined, server: string, log: Logger): Sealer {
  for (const key of keys ?? []) {
    if (key.length < MIN_SECRET)
      throw new TypeError(`A sealing key needs at least ${MIN_SECRET} characters; use 32 random bytes`);
  }
  let loaded: Promise<Sealer> | undefined;
  const load = (): Promise<Sealer> =>
    (loaded ??= import('./seal.ts').then(({ createSealer }) => createSealer(keys, log)));
  return {
    seal: async (value, context, lifeMs) => (await load()).seal(value, JSON.stringify([server, context]), lifeMs),
    open: async (sealed, context) => (await load()).open(sealed, JSON.stringify([server, context])),
  };
}
