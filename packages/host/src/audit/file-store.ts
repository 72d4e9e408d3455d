import type { KeyObject } from 'node:crypto';
import { mkdir, open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withLock } from 'tenon/internal';
import { openKey } from './digest.ts';
import { type AuditFacts, type AuditRecord, chain, factsOf, type Head, lineOf } from './record.ts';
import { findTail, type LogPosition } from './tail.ts';

/** Where the lines of an audit log are kept. */
export interface AuditStorage {
  /** The key for digests of arguments. A `KeyObject`, as making one of a buffer takes longer than the digest. */
  readonly key: KeyObject;
  /** The end of the log when it was opened. */
  readonly head: Head;
  /** Appends entries, one call at a time. Returns the written lines, including notes that were added before them. */
  write(batch: readonly AuditFacts[]): Promise<readonly AuditRecord[]>;
}

const KEY_IS_NEW = 'the key is new: digests of arguments from here on cannot be compared with earlier ones';

/** Appends to a log, continuing from its current end. The caller has to hold the lock. */
async function append(
  path: string,
  batch: readonly AuditFacts[],
  noteOf: (note: string) => AuditFacts,
  seen: LogPosition | undefined,
): Promise<{ readonly position: LogPosition; readonly records: AuditRecord[] }> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { position, notes } = await findTail(path, file, seen);
    const records = chain(position, [...notes.map(noteOf), ...batch]);
    const bytes = Buffer.from(records.map(lineOf).join(''));
    if (bytes.length > 0) {
      await file.appendFile(bytes);
      await file.datasync();
    }
    const { n, hash } = records.at(-1) ?? position;
    return { position: { n, hash, size: position.size + bytes.length, ino: position.ino }, records };
  } finally {
    await file.close();
  }
}

/** A log in a file that several processes may share. Every write takes the lock, and continues from what others have written. */
export async function openFileStore(file: string, now: () => number): Promise<AuditStorage> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await (await open(file, 'a', 0o600)).close();
  // Processes that use another path to the same file share its lock and key.
  const path = await realpath(file);
  const noteOf = (note: string): AuditFacts => factsOf({ requestedBy: 'audit', act: 'audit', note }, now(), undefined);

  const opened = await withLock(`${path}.lock`, async () => {
    const { key, isNew } = await openKey(`${path}.key`);
    const { position } = await append(path, [], noteOf, undefined);
    if (!isNew || position.n === 0) return { key, position };
    return { key, position: (await append(path, [noteOf(KEY_IS_NEW)], noteOf, position)).position };
  });

  let seen = opened.position;
  return {
    key: opened.key,
    head: opened.position,
    write: (batch) =>
      withLock(`${path}.lock`, async () => {
        const { position, records } = await append(path, batch, noteOf, seen);
        // Only after success: after an error, the next write reads the end of the file again.
        seen = position;
        return records;
      }),
  };
}
