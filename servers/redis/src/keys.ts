import { decodeUtf8 } from '@tenon/values/utf8';
import type { Redis } from 'ioredis';

/** After this many keys a search pauses, and can be continued. */
const MAX_KEYS = 1_000;
/** After this time a search pauses, in milliseconds. */
const MAX_MS = 10_000;
/** How many keys Redis examines at a time. */
const BATCH = 500;
/** Keys that are longer, in bytes, are counted and not shown. */
export const MAX_KEY_BYTES = 1_000;

/** The result of a search for keys. */
export interface FoundKeys {
  readonly keys: readonly string[];
  /** The number of keys that are too long or not UTF-8. */
  readonly omitted: number;
  /** Where the search continues; undefined if all keys were examined. */
  readonly cursor: string | undefined;
}

/** What a search is for, and how long it goes on. */
export interface Search {
  readonly pattern: string;
  /** Where an earlier search paused. Default: the beginning. */
  readonly cursor?: string | undefined;
  readonly signal: AbortSignal;
  /** After this many keys it pauses. Default: `MAX_KEYS`. */
  readonly most?: number;
  /** Called after each batch, with the number of keys found so far. */
  readonly onFound?: (count: number) => unknown;
}

/** Searches with SCAN, which does not block Redis as KEYS does. Rejects with the reason of the signal. */
export async function findKeys(redis: Redis, search: Search): Promise<FoundKeys> {
  const { pattern, signal, most = MAX_KEYS, onFound } = search;
  const end = performance.now() + MAX_MS;
  // SCAN may return a key more than once.
  const keys = new Set<string>();
  let omitted = 0;
  let cursor = search.cursor ?? '0';
  do {
    signal.throwIfAborted();
    const [next, batch] = await redis.scanBuffer(cursor, 'MATCH', pattern, 'COUNT', BATCH);
    for (const bytes of batch) {
      const key = bytes.length > MAX_KEY_BYTES ? undefined : decodeUtf8(bytes);
      if (key === undefined) omitted++;
      else keys.add(key);
    }
    cursor = next.toString('latin1');
    await onFound?.(keys.size);
  } while (cursor !== '0' && keys.size < most && performance.now() < end);
  return { keys: [...keys].sort(), omitted, cursor: cursor === '0' ? undefined : cursor };
}

/** A pattern for keys that begin with a text. */
export function startingWith(text: string): string {
  return `${text.replaceAll(/[*?[\]\\]/g, '\\$&')}*`;
}
