// The functions in the database: each operation is one of them, so it takes one round trip, and is one transaction. Their plans are kept by the
// server, so they need no prepared statements, which poolers do not support.

/** The settings of functions: names are looked up only in the schema of the store. */
export const PLPGSQL = 'LANGUAGE plpgsql SET search_path FROM CURRENT AS';
/**
 * For functions that go through entries in the order of an index, which the plan must use, however few entries there are when the plan is made
 * and whatever is known about the table: the plan is kept while the store grows. Sorting all that is found would read all of it.
 */
export const BY_INDEX =
  'LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS';

const HELPERS = `
-- The time in milliseconds since 1970. Nodes whose clocks differ have to agree, so it is that of the server, unless one is given.
CREATE FUNCTION clock(p_now double precision) RETURNS double precision LANGUAGE sql AS $$
  SELECT coalesce(p_now, extract(epoch FROM clock_timestamp())::double precision * 1000)
$$;

-- Sets whether the commit of this transaction waits for the disk. Stricter settings of the server are kept.
CREATE FUNCTION wait_for_disk(p_wait boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT p_wait THEN
    PERFORM set_config('synchronous_commit', 'off', true);
  ELSIF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;
`;

const READS = `
CREATE FUNCTION value_of(p_head bytea, p_digest bytea, p_now double precision) RETURNS text ${PLPGSQL} $$
BEGIN
  RETURN (SELECT json FROM entries WHERE head = p_head AND digest = p_digest AND expires > clock(p_now));
END $$;

CREATE FUNCTION keys_between(
  p_from_head bytea, p_from_rest bytea, p_to_head bytea, p_to_rest bytea, p_now double precision, p_most integer
) RETURNS SETOF bytea ${BY_INDEX} $$
DECLARE
  v_now double precision := clock(p_now);
BEGIN
  RETURN QUERY SELECT head || rest FROM entries
    WHERE head >= p_from_head AND head <= p_to_head
      AND (head, rest) >= (p_from_head, p_from_rest) AND (head, rest) < (p_to_head, p_to_rest)
      AND expires > v_now AND log IS NULL
    ORDER BY head, rest LIMIT p_most;
END $$;

-- The values of a log after a place, and how many of its first ones are gone. No row: there is no such log.
CREATE FUNCTION log_part(p_head bytea, p_digest bytea, p_after bigint, p_now double precision)
RETURNS TABLE (first_gone bigint, value text) ${PLPGSQL} $$
DECLARE
  v_now double precision := clock(p_now);
BEGIN
  RETURN QUERY SELECT e.gone, v.json FROM entries e
    LEFT JOIN log_values v ON v.log = e.log AND v.place > p_after
    WHERE e.head = p_head AND e.digest = p_digest AND e.expires > v_now AND e.log IS NOT NULL
    ORDER BY v.place;
END $$;
`;

const WRITES = `
-- Stores a value; with p_expected only in place of this one. A value that was added stays one, and grows by at most p_growth.
CREATE FUNCTION put(
  p_head bytea, p_digest bytea, p_rest bytea, p_expected text, p_json text, p_size bigint, p_life double precision,
  p_now double precision, p_growth bigint, p_durable boolean, p_wait integer,
  OUT outcome text, OUT size_before bigint, OUT owner_before bytea
) ${PLPGSQL} $$
DECLARE
  e record;
  v_now double precision;
  v_stays boolean := false;
BEGIN
  PERFORM set_config('lock_timeout', p_wait::text, true);
  LOOP
    SELECT expires, added, owner, size, log, json = p_expected AS same INTO e
      FROM entries WHERE head = p_head AND digest = p_digest FOR UPDATE;
    IF FOUND THEN
      -- After a wait for another writer.
      v_now := clock(p_now);
      v_stays := e.added AND e.expires > v_now;
      IF p_expected IS NOT NULL AND (e.same AND e.expires > v_now) IS NOT TRUE THEN
        outcome := 'different';
        v_stays := false;
      ELSIF v_stays AND p_size - e.size > p_growth THEN
        outcome := 'grows';
        size_before := e.size;
        owner_before := e.owner;
      ELSE
        outcome := 'stored';
        IF e.log IS NOT NULL THEN
          INSERT INTO removed_logs VALUES (e.log);
        END IF;
        UPDATE entries SET expires = v_now + p_life, added = v_stays, owner = CASE WHEN v_stays THEN e.owner END,
          size = p_size, written = nextval('ages'), log = NULL, last = 0, gone = 0, json = p_json
          WHERE head = p_head AND digest = p_digest;
      END IF;
      EXIT;
    ELSIF p_expected IS NOT NULL THEN
      outcome := 'different';
      EXIT;
    END IF;
    INSERT INTO entries (head, rest, digest, expires, added, size, written, json)
      VALUES (p_head, p_rest, p_digest, clock(p_now) + p_life, false, p_size, nextval('ages'), p_json)
      ON CONFLICT DO NOTHING;
    outcome := 'stored';
    -- Otherwise another writer was first.
    EXIT WHEN FOUND;
  END LOOP;
  PERFORM wait_for_disk(v_stays OR p_durable);
END $$;

-- Stores a value that has to stay, if there is none.
CREATE FUNCTION add_value(
  p_head bytea, p_digest bytea, p_rest bytea, p_json text, p_size bigint, p_life double precision, p_now double precision,
  p_owner bytea, p_wait integer
) RETURNS boolean ${PLPGSQL} $$
DECLARE
  e record;
  v_now double precision;
BEGIN
  PERFORM set_config('lock_timeout', p_wait::text, true);
  LOOP
    SELECT expires, log INTO e FROM entries WHERE head = p_head AND digest = p_digest FOR UPDATE;
    IF FOUND THEN
      v_now := clock(p_now);
      IF e.expires > v_now THEN
        PERFORM wait_for_disk(false);
        RETURN false;
      END IF;
      IF e.log IS NOT NULL THEN
        INSERT INTO removed_logs VALUES (e.log);
      END IF;
      UPDATE entries SET expires = v_now + p_life, added = true, owner = p_owner, size = p_size, written = nextval('ages'),
        log = NULL, last = 0, gone = 0, json = p_json
        WHERE head = p_head AND digest = p_digest;
      EXIT;
    END IF;
    INSERT INTO entries (head, rest, digest, expires, added, owner, size, written, json)
      VALUES (p_head, p_rest, p_digest, clock(p_now) + p_life, true, p_owner, p_size, nextval('ages'), p_json)
      ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  PERFORM wait_for_disk(true);
  RETURN true;
END $$;

-- Appends a value to a log, and returns its place. Beyond p_most characters, the first values of the log are removed.
CREATE FUNCTION append_value(
  p_head bytea, p_digest bytea, p_rest bytea, p_json text, p_key_size bigint, p_size bigint, p_life double precision,
  p_now double precision, p_most double precision, p_durable boolean, p_wait integer
) RETURNS bigint ${PLPGSQL} $$
DECLARE
  e record;
  v record;
  v_now double precision;
  v_gone bigint;
BEGIN
  PERFORM set_config('lock_timeout', p_wait::text, true);
  LOOP
    SELECT expires, log, last, gone, size INTO e FROM entries WHERE head = p_head AND digest = p_digest FOR UPDATE;
    EXIT WHEN FOUND;
    -- A log that has expired already, so that the next round begins a new one.
    INSERT INTO entries (head, rest, digest, expires, added, size, written, json)
      VALUES (p_head, p_rest, p_digest, '-Infinity', false, p_key_size, nextval('ages'), NULL)
      ON CONFLICT DO NOTHING;
  END LOOP;
  v_now := clock(p_now);
  IF e.log IS NULL OR e.expires <= v_now THEN
    IF e.log IS NOT NULL THEN
      INSERT INTO removed_logs VALUES (e.log);
    END IF;
    e.log := nextval('log_ids');
    e.last := 0;
    e.gone := 0;
    e.size := p_key_size;
  END IF;
  e.last := e.last + 1;
  e.size := e.size + p_size;
  INSERT INTO log_values VALUES (e.log, e.last, p_size, p_json);
  IF e.size > p_most THEN
    v_gone := e.gone;
    -- The new value stays, however large it is.
    FOR v IN SELECT place, size FROM log_values
      WHERE log = e.log AND place > e.gone AND place < e.last ORDER BY place
    LOOP
      EXIT WHEN e.size <= p_most;
      e.size := e.size - v.size;
      v_gone := v.place;
    END LOOP;
    DELETE FROM log_values WHERE log = e.log AND place > e.gone AND place <= v_gone;
    e.gone := v_gone;
  END IF;
  UPDATE entries SET expires = v_now + p_life, added = false, owner = NULL, size = e.size, written = nextval('ages'),
    log = e.log, last = e.last, gone = e.gone, json = NULL
    WHERE head = p_head AND digest = p_digest;
  PERFORM wait_for_disk(p_durable);
  RETURN e.last;
END $$;

CREATE FUNCTION remove(p_head bytea, p_digest bytea, p_durable boolean, p_wait integer) RETURNS void ${PLPGSQL} $$
DECLARE
  e record;
BEGIN
  PERFORM set_config('lock_timeout', p_wait::text, true);
  DELETE FROM entries WHERE head = p_head AND digest = p_digest RETURNING added, log INTO e;
  IF FOUND THEN
    IF e.log IS NOT NULL THEN
      INSERT INTO removed_logs VALUES (e.log);
    END IF;
    PERFORM wait_for_disk(e.added OR p_durable);
  END IF;
END $$;
`;

/** Only one node at a time removes entries, which takes this lock; writers do not wait for it. */
function room(lock: bigint): string {
  return `
-- The size of all values that were added, and of those of an owner.
CREATE FUNCTION added_sizes(
  p_owner bytea, OUT entries bigint, OUT characters bigint, OUT own_entries bigint, OUT own_characters bigint
) ${PLPGSQL} $$
BEGIN
  SELECT count(*), coalesce(sum(size), 0) INTO entries, characters FROM entries e WHERE added;
  SELECT count(*), coalesce(sum(size), 0) INTO own_entries, own_characters FROM entries e WHERE added AND owner = p_owner;
END $$;

-- Removes some expired entries, the oldest first.
CREATE FUNCTION remove_expired(p_now double precision, p_most integer) RETURNS integer ${BY_INDEX} $$
DECLARE
  v_now double precision := clock(p_now);
  v_count integer;
BEGIN
  WITH removed AS (
    DELETE FROM entries WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM entries WHERE expires <= v_now ORDER BY expires LIMIT p_most FOR UPDATE SKIP LOCKED
    )) RETURNING log
  ), logs AS (
    INSERT INTO removed_logs SELECT log FROM removed WHERE log IS NOT NULL
  )
  SELECT count(*) INTO v_count FROM removed;
  RETURN v_count;
END $$;

-- Removes some expired entries, and values of removed logs. Returns how many. Unless told to wait, it leaves it to another node that does so.
CREATE FUNCTION sweep(p_now double precision, p_most integer, p_wait boolean) RETURNS integer ${BY_INDEX} $$
DECLARE
  v_left integer := p_most;
  v_count integer;
  v_log bigint;
BEGIN
  IF p_wait THEN
    PERFORM pg_advisory_xact_lock(${lock});
  ELSIF NOT pg_try_advisory_xact_lock(${lock}) THEN
    RETURN 0;
  END IF;
  PERFORM wait_for_disk(false);
  v_left := v_left - remove_expired(p_now, p_most);
  WHILE v_left > 0 LOOP
    SELECT log INTO v_log FROM removed_logs ORDER BY log LIMIT 1;
    EXIT WHEN NOT FOUND;
    DELETE FROM log_values WHERE log = v_log AND place <= (
      SELECT max(place) FROM (SELECT place FROM log_values WHERE log = v_log ORDER BY place LIMIT v_left) first
    );
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < v_left THEN
      DELETE FROM removed_logs WHERE log = v_log;
      v_count := v_count + 1;
    END IF;
    v_left := v_left - v_count;
  END LOOP;
  RETURN p_most - v_left;
END $$;

-- Removes the oldest evictable entries of a store that is too large, some at a time; first those that have expired.
CREATE FUNCTION trim_entries(
  p_now double precision, p_entries double precision, p_characters double precision, p_most integer,
  OUT too_large boolean, OUT removed integer
) ${BY_INDEX} $$
DECLARE
  e record;
  v_entries bigint;
  v_characters bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(${lock});
  PERFORM wait_for_disk(false);
  SELECT sum(n), sum(c) INTO v_entries, v_characters FROM (
    SELECT count(*) AS n, coalesce(sum(size), 0) AS c FROM entries WHERE added
    UNION ALL SELECT count(*), coalesce(sum(size), 0) FROM entries WHERE NOT added
  ) parts;
  too_large := v_entries > p_entries OR v_characters > p_characters;
  removed := 0;
  IF NOT too_large THEN
    RETURN;
  END IF;
  removed := remove_expired(p_now, p_most);
  IF removed > 0 THEN
    RETURN;
  END IF;
  FOR e IN SELECT head, digest, size, log FROM entries WHERE NOT added ORDER BY written LIMIT p_most
    FOR UPDATE SKIP LOCKED
  LOOP
    EXIT WHEN v_entries <= p_entries AND v_characters <= p_characters;
    DELETE FROM entries WHERE head = e.head AND digest = e.digest;
    IF e.log IS NOT NULL THEN
      INSERT INTO removed_logs VALUES (e.log);
    END IF;
    v_entries := v_entries - 1;
    v_characters := v_characters - e.size;
    removed := removed + 1;
  END LOOP;
END $$;

CREATE FUNCTION report(
  p_now double precision, OUT entries bigint, OUT logs bigint, OUT characters bigint, OUT expired bigint
) ${PLPGSQL} $$
DECLARE
  v_now double precision := clock(p_now);
BEGIN
  SELECT count(*) FILTER (WHERE e.log IS NULL), count(e.log), coalesce(sum(e.size), 0), count(*) FILTER (WHERE e.expires <= v_now)
    INTO entries, logs, characters, expired FROM entries e;
END $$;
`;
}

/** The SQL that creates the functions on entries of version 1. `lock`: taken by those who remove entries. */
export function entryFunctions(lock: bigint): string {
  return [HELPERS, READS, WRITES, room(lock)].join('');
}
