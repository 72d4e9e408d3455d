import type { StoreFile } from './store-file.ts';

/** An entry without its value. */
export interface EntryRow {
  readonly id: number;
  readonly expires: number;
  readonly added: 0 | 1;
  readonly owner: Uint8Array | null;
  readonly size: number;
  readonly written: number;
  readonly last: number;
  readonly gone: number;
  readonly isLog: 0 | 1;
}

/** An entry that is inserted. Without JSON it is a log. */
export interface NewEntry {
  readonly key: Uint8Array;
  readonly expires: number;
  readonly added: boolean;
  readonly owner: Uint8Array | null;
  readonly size: number;
  readonly json: string | null;
}

/** A number of entries, and their characters. */
export interface Size {
  readonly entries: number;
  readonly characters: number;
}

/** The totals of the store. */
export interface Totals {
  /** The next unused number. */
  readonly next: number;
  readonly all: Size;
  readonly added: Size;
}

/** The statements of a store, as functions. */
export type Statements = ReturnType<typeof prepareStatements>;

// An empty array of bytes may arrive as NULL. Parameters are not numbered, because Node 22 does not count numbered ones among the others.
const KEY = `ifnull(?, x'')`;

/** Prepares the statements once, because SQLite compiles each of them. */
export function prepareStatements(file: Pick<StoreFile, 'prepare'>) {
  const json = file.prepare(`SELECT json FROM entries WHERE key = ${KEY} AND expires > ? AND json IS NOT NULL`);
  const entry = file.prepare(
    `SELECT id, expires, added, owner, size, written, last, gone, json IS NULL AS isLog FROM entries WHERE key = ${KEY}`,
  );
  // The plus sign excludes other indexes, so that the index of keys is used, which has the required order.
  const keys = file.prepare(
    `SELECT key FROM entries WHERE key >= ${KEY} AND key < ? AND +expires > ? AND json IS NOT NULL ORDER BY key LIMIT ?`,
  );
  const insert = file.prepare(
    `INSERT INTO entries (id, written, key, expires, added, owner, size, json) SELECT next, next, ${KEY}, ?, ?, ?, ?, ? FROM totals`,
  );
  const removeKey = file.prepare(`DELETE FROM entries WHERE key = ${KEY}`);
  const removeExpired = file.prepare(
    'DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE expires <= ? ORDER BY expires LIMIT ?)',
  );
  const removeOldest = file.prepare(
    'DELETE FROM entries WHERE id = (SELECT id FROM entries WHERE added = 0 ORDER BY written LIMIT 1)',
  );
  const totals = file.prepare('SELECT next, entries, characters, added_entries, added_characters FROM totals');
  const ofOwner = file.prepare('SELECT entries, characters FROM owners WHERE owner = ?');
  const appendValue = file.prepare('INSERT INTO log_values (log, at, size, json) VALUES (?, ?, ?, ?)');
  const updateLog = file.prepare(
    'UPDATE entries SET expires = ?, last = ?, gone = ?, size = ?, written = ? WHERE id = ?',
  );
  const values = file.prepare('SELECT at, size FROM log_values WHERE log = ? ORDER BY at');
  const removeFirst = file.prepare('DELETE FROM log_values WHERE log = ? AND at <= ?');
  const logPart = file.prepare(
    `SELECT entries.gone, log_values.json FROM entries LEFT JOIN log_values ON log = id AND at > ?
     WHERE key = ${KEY} AND expires > ? AND entries.json IS NULL ORDER BY at`,
  );
  const removedLog = file.prepare('SELECT log FROM removed_logs LIMIT 1');
  const removeSome = file.prepare(
    'DELETE FROM log_values WHERE log = ? AND at IN (SELECT at FROM log_values WHERE log = ? ORDER BY at LIMIT ?)',
  );
  const forgetLog = file.prepare('DELETE FROM removed_logs WHERE log = ?');

  return {
    json: (key: Uint8Array, now: number) => (json.get(key, now) as { readonly json: string } | undefined)?.json,
    entry: (key: Uint8Array) => entry.get(key) as EntryRow | undefined,
    keys: (from: Uint8Array, to: Uint8Array, now: number, limit: number) =>
      (keys.all(from, to, now, limit) as unknown as { readonly key: Uint8Array }[]).map(({ key }) => key),
    insert: ({ key, expires, added, owner, size, json: text }: NewEntry) =>
      void insert.run(key, expires, added ? 1 : 0, owner, size, text),
    removeKey: (key: Uint8Array) => void removeKey.run(key),
    /** Removes expired entries, the oldest first; returns the number of removed ones. */
    removeExpired: (now: number, limit: number) => Number(removeExpired.run(now, limit).changes),
    /** Removes the oldest evictable entry; returns the number of removed entries. */
    removeOldest: () => Number(removeOldest.run().changes),
    totals(): Totals {
      const row = totals.get() as Record<
        'next' | 'entries' | 'characters' | 'added_entries' | 'added_characters',
        number
      >;
      return {
        next: row.next,
        all: { entries: row.entries, characters: row.characters },
        added: { entries: row.added_entries, characters: row.added_characters },
      };
    },
    ofOwner: (owner: Uint8Array) => ofOwner.get(owner) as Size | undefined,
    appendValue: (log: number, at: number, text: string) => void appendValue.run(log, at, text.length, text),
    updateLog: (
      log: number,
      { expires, last, gone, size, written }: Pick<EntryRow, 'expires' | 'last' | 'gone' | 'size' | 'written'>,
    ) => void updateLog.run(expires, last, gone, size, written, log),
    values: (log: number) => values.iterate(log) as Iterable<{ readonly at: number; readonly size: number }>,
    /** Removes the values of a log up to a position. */
    removeFirst: (log: number, at: number) => void removeFirst.run(log, at),
    /** The values of a log after a position, and how many of its first ones are gone. */
    logPart(key: Uint8Array, after: number, now: number) {
      const rows = logPart.all(after, key, now) as unknown as { readonly gone: number; readonly json: string | null }[];
      if (rows[0] === undefined) return undefined;
      return { gone: rows[0].gone, texts: rows.flatMap(({ json: text }) => (text === null ? [] : [text])) };
    },
    /** Removes some values of a removed log; returns how many. */
    removeLogValues(limit: number): number {
      const row = removedLog.get() as { readonly log: number } | undefined;
      if (row === undefined) return 0;
      const count = Number(removeSome.run(row.log, row.log, limit).changes);
      if (count < limit) forgetLog.run(row.log);
      return count;
    },
  };
}
