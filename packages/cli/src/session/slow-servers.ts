import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '@tenon/values/is-object';
import { replaceFile } from '@tenon/values/node/replace-file';
import { decodeUtf8 } from '@tenon/values/utf8';
import type { EraMemory } from 'tenon/client';
import { stateFolder } from '../command-line/state-folder.ts';

/** The era of a server that connected within this time, in milliseconds, is not remembered, because probing it again is cheap. */
const SLOW_MS = 2_000;
/** How long a server is remembered, in milliseconds: it may support a newer revision after an update. */
const KEEP_MS = 24 * 3_600_000;
const MAX_SERVERS = 200;

/** Remembers servers of earlier runs that do not answer unknown requests: probing their era takes up to 20 seconds. */
export interface SlowServers extends EraMemory {
  /** Resolves when everything is saved, or saving has failed. */
  saved(): Promise<void>;
}

function readKnown(path: string, now: number): Map<string, number> {
  try {
    const read: unknown = JSON.parse(decodeUtf8(readFileSync(path)) ?? '');
    const entries = isObject(read) ? Object.entries(read) : [];
    const isFresh = (until: unknown): boolean => typeof until === 'number' && until > now && until <= now + KEEP_MS;
    return new Map(entries.filter(([, until]) => isFresh(until)) as [string, number][]);
  } catch {
    // The file does not exist yet, or another program wrote it.
    return new Map();
  }
}

/**
 * Opens the memory of slow servers. A folder that cannot be read or written is not a failure: the servers are probed again.
 *
 * @param path The file. By default in the state folder of this user. It names servers only by digests.
 * @param now The time of day in milliseconds, by default that of the system.
 * @param elapsed A monotonic time in milliseconds, by default that of the process.
 */
export function openSlowServers(
  path: string = join(stateFolder(), 'slow-servers.json'),
  now: () => number = Date.now,
  elapsed: () => number = () => performance.now(),
): SlowServers {
  const begun = new Map<string, number>();
  let saving = Promise.resolve();
  const save = (change: (known: Map<string, number>) => void): void => {
    const run = async (): Promise<void> => {
      // Another process may have written the file meanwhile.
      const known = readKnown(path, now());
      change(known);
      for (const key of [...known.keys()].slice(0, -MAX_SERVERS)) known.delete(key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await replaceFile(path, JSON.stringify(Object.fromEntries(known)));
    };
    saving = saving.then(run).catch(() => {});
  };
  const forget = (key: string): void => {
    if (readKnown(path, now()).has(key)) save((known) => known.delete(key));
  };
  return {
    get(key) {
      begun.set(key, elapsed());
      return readKnown(path, now()).has(key) ? 'legacy' : undefined;
    },
    set(key, era) {
      if (era === 'modern') return forget(key);
      const isSlow = elapsed() - (begun.get(key) ?? Infinity) >= SLOW_MS;
      if (isSlow && !readKnown(path, now()).has(key)) save((known) => known.set(key, now() + KEEP_MS));
      return undefined;
    },
    delete: forget,
    saved: () => saving,
  };
}
