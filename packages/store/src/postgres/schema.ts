/** The version of the tables. A greater one was made by a newer version of this package. */
export const SCHEMA_VERSION = 1;

/** The table with the version. Its name is not one that another program is likely to use. */
export const VERSION_TABLE = 'tenon_store';

/**
 * One table of values and logs, and one of the values in logs. A key is split: an index entry has a limited length, so the index contains the
 * beginning of a key, and a digest of the rest. There are no totals, because all writers would have to change the same row: sizes are counted
 * from the indexes instead. An increasing number (`written`) represents the age of an entry.
 */
export const TABLES = `
CREATE TABLE ${VERSION_TABLE} (version integer NOT NULL);
INSERT INTO ${VERSION_TABLE} VALUES (0);

CREATE SEQUENCE ages;
CREATE SEQUENCE log_ids;
CREATE TABLE entries (
  head bytea NOT NULL,
  rest bytea NOT NULL,
  digest bytea NOT NULL,
  -- Milliseconds since 1970.
  expires double precision NOT NULL,
  -- Whether it was stored by add, and has to stay for its whole life.
  added boolean NOT NULL,
  owner bytea,
  -- In characters, with the key.
  size bigint NOT NULL,
  written bigint NOT NULL,
  -- Of logs: the log of its values, the position of the last one, and how many of the first ones have been removed.
  log bigint,
  last bigint NOT NULL DEFAULT 0,
  gone bigint NOT NULL DEFAULT 0,
  -- NULL: it is a log. JSON has no NUL and no lone surrogates: JSON.stringify escapes them.
  json text COLLATE "C",
  PRIMARY KEY (head, digest)
);
CREATE INDEX by_end ON entries (expires);
CREATE INDEX by_age ON entries (written) INCLUDE (size) WHERE NOT added;
CREATE INDEX by_owner ON entries (owner) INCLUDE (size) WHERE added;

CREATE TABLE log_values (
  log bigint NOT NULL,
  place bigint NOT NULL,
  size bigint NOT NULL,
  json text COLLATE "C" NOT NULL,
  PRIMARY KEY (log, place)
);
-- Logs that are removed, whose values still have to be.
CREATE TABLE removed_logs (log bigint PRIMARY KEY);

-- Messages between nodes, for a minute. They need not survive a crash of the server, but their numbers must not begin again.
CREATE SEQUENCE message_ids;
SELECT nextval('message_ids');
CREATE UNLOGGED TABLE messages (
  id bigint PRIMARY KEY,
  topic bytea NOT NULL,
  body text COLLATE "C" NOT NULL,
  sent timestamptz NOT NULL DEFAULT clock_timestamp()
);
`;
