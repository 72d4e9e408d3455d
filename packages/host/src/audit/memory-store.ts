import { newKey } from './digest.ts';
import { type AuditFacts, type AuditRecord, chain, type Head, START } from './record.ts';

/** What an audit log is written to. */
export interface AuditStore {
  /** Of the digests of arguments. */
  readonly key: Buffer;
  /** Where the log ended when it was opened. */
  readonly head: Head;
  /** Adds to the end, one call at a time. Gives the lines: these, and what was to be noted before them. */
  write(batch: readonly AuditFacts[]): Promise<readonly AuditRecord[]>;
}

/** A log that is gone with the program. */
export const openMemoryStore = (): AuditStore => {
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
};
