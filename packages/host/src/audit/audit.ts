import { digestOf } from './digest.ts';
import type { Store } from 'tenon/http';
import { openFileStore } from './file-store.ts';
import { openStoreLines } from './store-lines.ts';
import { type AuditEntry, type AuditFacts, factsOf } from './record.ts';

/** An append-only log of actions. Each line contains the hash of the one before, so that a changed line breaks the chain. */
export interface Audit {
  /** Resolves when the entry is stored. Rejects if it may not have been written: then the action that it describes must not happen. */
  add(entry: AuditEntry): Promise<void>;
  /** Resolves when all entries are written. `add` rejects afterwards. */
  close(): Promise<void>;
  /** The hash of the last line. If it is stored elsewhere, it later shows whether lines were removed from the end. */
  readonly head: string;
}

export type AuditOptions = AuditPlace & {
  /** Returns milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Removes secrets that are specific to the program, in addition to texts that look like secrets. */
  readonly redact?: (text: string) => string;
};

type AuditPlace =
  | {
      /**
       * The log file, with a line of JSON for each entry. Several processes may share it. Files beside it are `.key`, the key for digests of
       * arguments, readable only by its owner; `.lock`, while a process writes; and `.torn`, lines that a crash cut off.
       */
      readonly file: string;
    }
  | {
      /** The store with the lines. Several hosts may share it. */
      readonly store: Store;
    };

/** Maximum of entries that wait to be written. */
const MAX_WAITING = 10_000;

interface QueuedEntry {
  readonly facts: AuditFacts;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens a log, and continues from its end. Throws if the end does not verify or the file is not a log; such a file is left unchanged. A
 * changed chain is detected by comparison with a head that was stored elsewhere: a program that can write the file can also rewrite the
 * whole chain.
 *
 * @example
 * const audit = await openAudit({ file: 'audit.jsonl' });
 * await audit.add({ requestedBy: 'model', act: 'call', server: 'files', target: 'read_file', decision: 'allow', outcome: 'ok' });
 */
export async function openAudit({ now = Date.now, redact, ...place }: AuditOptions): Promise<Audit> {
  const storage = 'store' in place ? openStoreLines(place.store) : openFileStore(place.file, now);
  const { key, head: first, write } = await storage;
  let head = first.hash;
  let waiting: QueuedEntry[] = [];
  let writing: Promise<void> | undefined;
  let isClosed = false;

  /** Entries of calls that go on in the same turn are written together, and so are those that arrive during a write. */
  const writeQueued = async (): Promise<void> => {
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const written = await write(batch.map(({ facts }) => facts));
        head = written.at(-1)?.hash ?? head;
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
      if (waiting.length >= MAX_WAITING) throw new Error('Too many entries are waiting to be written to the audit log');
      const digest = entry.arguments === undefined ? undefined : digestOf(entry.arguments, key);
      // Before the first wait, as the caller may modify the entry later.
      const facts = factsOf(entry, now(), digest, redact);
      await new Promise<void>((resolve, reject) => {
        waiting.push({ facts, resolve, reject });
        writing ??= writeQueued();
      });
    },
    async close() {
      isClosed = true;
      await writing;
    },
    get head() {
      return head;
    },
  };
}
