import { digestOf } from './digest.ts';
import { openFileStore } from './file-store.ts';
import { openMemoryStore } from './memory-store.ts';
import { type AuditEntry, type AuditFacts, type AuditRecord, factsOf } from './record.ts';

/** A log of what was done, in which no line can be changed without all after it. */
export interface Audit {
  /** Resolves when the entry is written for good. Rejects when it may not be: then what it is about had better not be done. */
  add(entry: AuditEntry): Promise<void>;
  /** What this program added, oldest first: the newest 10,000. */
  entries(): readonly AuditRecord[];
  /** Resolves when all is written. Nothing can be added afterwards. */
  close(): Promise<void>;
  /** The hash of the last line. Kept elsewhere, it tells later whether lines were removed from the end. */
  readonly head: string;
}

export interface AuditOptions {
  /**
   * The log: a line of JSON for each entry. Several processes may share it. Beside it are made `.key`, the key of the digests of
   * arguments, which only its owner can read; `.lock`, while somebody writes; and `.torn`, what a crash cut off. Without a file, entries
   * are kept in memory.
   */
  readonly file?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Takes away what is secret here, besides what looks like a secret anywhere. */
  readonly redact?: (text: string) => string;
}

/** Most entries that are kept in memory, and most that wait for a slow disk. */
const MAX_ENTRIES = 10_000;
const MAX_WAITING = 10_000;

interface QueuedEntry {
  readonly facts: AuditFacts;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens a log, and goes on from its end. Throws where the end does not verify, or is of something else: such a file is left as it is.
 * The chain shows that lines were changed to whoever knows a later head from elsewhere; who can write the file can also write all of it anew.
 *
 * @example
 * const audit = await openAudit({ file: 'audit.jsonl' });
 * await audit.add({ who: 'model', act: 'call', server: 'files', what: 'read_file', decision: 'allow', outcome: 'ok' });
 */
export const openAudit = async ({ file, now = Date.now, redact }: AuditOptions = {}): Promise<Audit> => {
  const { key, head: first, write } = file === undefined ? openMemoryStore() : await openFileStore(file, now);
  let head = first.hash;
  let kept: AuditRecord[] = [];
  let waiting: QueuedEntry[] = [];
  let writing: Promise<void> | undefined;
  let isClosed = false;

  const remember = (records: readonly AuditRecord[]): void => {
    kept.push(...records);
    // Not at every entry: that would move all of them each time.
    if (kept.length > 2 * MAX_ENTRIES) kept = kept.slice(-MAX_ENTRIES);
    head = records.at(-1)?.hash ?? head;
  };

  /** What comes while something is written is written together. */
  const writeQueued = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        remember(await write(batch.map(({ facts }) => facts)));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = undefined;
  };

  return {
    async add(entry) {
      if (isClosed) throw new Error('The audit log is closed: open it again to add to it');
      if (waiting.length >= MAX_WAITING) throw new Error('Too many entries wait to be written to the audit log');
      const digest = entry.arguments === undefined ? undefined : digestOf(entry.arguments, key);
      // Now: the caller may change what it handed over.
      const facts = factsOf(entry, now(), digest, redact);
      await new Promise<void>((resolve, reject) => {
        waiting.push({ facts, resolve, reject });
        writing ??= writeQueued();
      });
    },
    entries: () => kept.slice(-MAX_ENTRIES),
    async close() {
      isClosed = true;
      await writing;
    },
    get head() {
      return head;
    },
  };
};
