import type { Era } from '../protocol/revision.ts';

/** Remembers the era of servers, so that a legacy server is not probed again. It may outlive the process. */
export interface EraMemory {
  /** The era of a server; undefined if it is unknown. The key names the server. */
  get(key: string): Era | undefined;
  /** Remembers the era of a server. */
  set(key: string, era: Era): void;
  /** Forgets a server, because connecting to it failed. */
  delete(key: string): void;
}

/** How many servers are remembered by default. */
const MAX_SERVERS = 1_000;

/**
 * An era memory in this process, for up to `max` servers (default 1,000). Evicts the oldest entry.
 *
 * @example
 * ```ts
 * import { connect, createEraMemory } from 'tenon/client';
 *
 * const eras = createEraMemory();
 * await using client = await connect('https://notes.example.com/mcp', { eras });
 * ```
 */
export function createEraMemory(max = MAX_SERVERS): EraMemory {
  const eras = new Map<string, Era>();
  return {
    get: (key) => eras.get(key),
    set(key, era) {
      eras.delete(key);
      eras.set(key, era);
      if (eras.size > max) eras.delete(eras.keys().next().value!);
    },
    delete: (key) => void eras.delete(key),
  };
}

/** Shared by all clients that are not given an era memory. */
export const processEras: EraMemory = createEraMemory();
