import type { KeyObject } from 'node:crypto';
import { newKey } from './digest.ts';
import { type AuditFacts, type AuditRecord, chain, type Head, START } from './record.ts';

/** The storage of an audit log. */
export interface AuditStore {
  /** The key for digests of arguments. A `KeyObject`, as making one of a buffer takes longer than the digest. */
  readonly key: KeyObject;
  /** The end of the log when it was opened. */
  readonly head: Head;
  /** Appends entries, one call at a time. Returns the written lines, including notes that were added before them. */
  write(batch: readonly AuditFacts[]): Promise<readonly AuditRecord[]>;
}

/** A log in memory, which ends with the program. */
export function openMemoryStore(): AuditStore {
  let last = START;
  return {
    key: newKey(),
    head: START,
    async write(batch) {
      const records = chain(last, batch);
      last = records.at(-1) ?? last;
      return records;
    },
  };
}
