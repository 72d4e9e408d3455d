/** The application id in the SQLite files of this store: `TENO` in ASCII. */
export const APPLICATION_ID = 0x54_45_4e_4f;

/** The version of the schema. A greater one was written by a newer version of this package. */
export const SCHEMA_VERSION = 1;

/**
 * One table of values and logs, and one of the values in logs. The most frequently read columns come first, because a long value extends
 * over many pages. Triggers maintain the totals. A unique increasing number (`next`) represents the age of an entry, and identifies a log.
 */
export const SCHEMA = `
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  expires REAL NOT NULL,
  -- Whether it was stored by add, and has to stay for its whole life.
  added INTEGER NOT NULL,
  owner BLOB,
  -- In characters, with the key.
  size INTEGER NOT NULL,
  -- When it was last written, as a number of next.
  written INTEGER NOT NULL,
  -- Of logs: the position of the last value, and how many of the first ones have been removed.
  last INTEGER NOT NULL DEFAULT 0,
  gone INTEGER NOT NULL DEFAULT 0,
  -- NULL: it is a log.
  json TEXT
) STRICT;
CREATE INDEX by_end ON entries (expires);
CREATE INDEX by_age ON entries (written) WHERE added = 0;

CREATE TABLE log_values (
  log INTEGER NOT NULL,
  at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (log, at)
) STRICT, WITHOUT ROWID;
-- Logs that are removed, whose values still have to be.
CREATE TABLE removed_logs (log INTEGER PRIMARY KEY) STRICT;

CREATE TABLE totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  next INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  added_entries INTEGER NOT NULL,
  added_characters INTEGER NOT NULL
) STRICT;
INSERT INTO totals VALUES (1, 1, 0, 0, 0, 0);
CREATE TABLE owners (
  owner BLOB PRIMARY KEY,
  entries INTEGER NOT NULL,
  characters INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entry_inserted AFTER INSERT ON entries BEGIN
  UPDATE totals SET next = max(next, new.written + 1),
    entries = entries + 1, characters = characters + new.size,
    added_entries = added_entries + new.added, added_characters = added_characters + new.added * new.size;
  INSERT INTO owners SELECT new.owner, 1, new.size WHERE new.owner IS NOT NULL
    ON CONFLICT (owner) DO UPDATE SET entries = entries + 1, characters = characters + excluded.characters;
END;
CREATE TRIGGER entry_deleted AFTER DELETE ON entries BEGIN
  UPDATE totals SET entries = entries - 1, characters = characters - old.size,
    added_entries = added_entries - old.added, added_characters = added_characters - old.added * old.size;
  UPDATE owners SET entries = entries - 1, characters = characters - old.size WHERE owner = old.owner;
  DELETE FROM owners WHERE owner = old.owner AND entries = 0;
  INSERT INTO removed_logs SELECT old.id WHERE old.json IS NULL;
END;
CREATE TRIGGER log_written AFTER UPDATE OF size, written ON entries BEGIN
  UPDATE totals SET next = max(next, new.written + 1), characters = characters + new.size - old.size;
END;
`;
