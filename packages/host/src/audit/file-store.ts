import { mkdir, open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withLock } from 'tenon/internal';
import { keyIn } from './digest.ts';
import type { AuditStore } from './memory-store.ts';
import { type AuditFacts, type AuditRecord, chain, factsOf, lineOf } from './record.ts';
import { findTail, type Place } from './tail.ts';

const KEY_IS_NEW = 'there is a new key: digests of arguments from here on cannot be compared with those above';

/** Adds to the end of a log, wherever that is by now. Call it while nobody else writes. */
const append = async (
  path: string,
  batch: readonly AuditFacts[],
  noteOf: (what: string) => AuditFacts,
  seen: Place | undefined,
): Promise<{ readonly place: Place; readonly records: AuditRecord[] }> => {
  const file = await open(path, 'a+', 0o600);
  try {
    const { place, notes } = await findTail(path, file, seen);
    const records = chain(place, [...notes.map(noteOf), ...batch]);
    const bytes = Buffer.from(records.map(lineOf).join(''));
    if (bytes.length > 0) {
      await file.appendFile(bytes);
      await file.datasync();
    }
    const { n, hash } = records.at(-1) ?? place;
    return { place: { n, hash, size: place.size + bytes.length, ino: place.ino }, records };
  } finally {
    await file.close();
  }
};

/** A log in a file that several processes may share. Whoever writes takes the lock, and goes on from what others have written meanwhile. */
export const openFileStore = async (named: string, now: () => number): Promise<AuditStore> => {
  await mkdir(dirname(named), { recursive: true, mode: 0o700 });
  await (await open(named, 'a', 0o600)).close();
  // Whoever comes by another name shares the lock and the key.
  const path = await realpath(named);
  const noteOf = (what: string): AuditFacts => factsOf({ who: 'audit', act: 'audit', what }, now(), undefined);

  const opened = await withLock(`${path}.lock`, async () => {
    const { key, isNew } = await keyIn(`${path}.key`);
    const { place } = await append(path, [], noteOf, undefined);
    if (!isNew || place.n === 0) return { key, place };
    return { key, place: (await append(path, [noteOf(KEY_IS_NEW)], noteOf, place)).place };
  });

  let seen = opened.place;
  return {
    key: opened.key,
    head: opened.place,
    write: (batch) =>
      withLock(`${path}.lock`, async () => {
        const { place, records } = await append(path, batch, noteOf, seen);
        // Only where all went well: after an error, the next one looks at what has got there.
        seen = place;
        return records;
      }),
  };
};
