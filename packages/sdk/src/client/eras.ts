import type { Era } from '../protocol/revision.ts';

/** Remembers, by server, whether it knows modern revisions: a server that does not is not probed again. May be kept beyond the process. */
export interface EraMemory {
  get(key: string): Era | undefined;
  set(key: string, era: Era): void;
  delete(key: string): void;
}

/** Most servers that are remembered. */
const REMEMBERED = 1_000;

/** A memory for as long as the process lives. The oldest entry makes room. */
export const createEraMemory = (most = REMEMBERED): EraMemory => {
  const eras = new Map<string, Era>();
  return {
    get: (key) => eras.get(key),
    set(key, era) {
      eras.delete(key);
      eras.set(key, era);
      if (eras.size > most) eras.delete(eras.keys().next().value!);
    },
    delete: (key) => void eras.delete(key),
  };
};

/** The memory all clients share when they are given none. */
export const processEras: EraMemory = createEraMemory();
