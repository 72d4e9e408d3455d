import { BY_INDEX, PLPGSQL } from './entry-functions.ts';

/**
 * The SQL that creates the functions on messages of version 1. `lock`: taken by those who publish, so that messages become visible in the order
 * of their numbers. `channel`: of the notifications.
 */
export function messageFunctions(lock: bigint, channel: string): string {
  return `
-- Stores messages, and notifies the listening nodes of their numbers and topics.
CREATE FUNCTION publish(p_topics bytea[], p_bodies text[]) RETURNS void ${PLPGSQL} $$
DECLARE
  v_ids text;
BEGIN
  PERFORM wait_for_disk(false);
  PERFORM pg_advisory_xact_lock(${lock});
  WITH stored AS (
    INSERT INTO messages (id, topic, body)
      SELECT nextval('message_ids'), topic, body
        FROM (SELECT topic, body FROM unnest(p_topics, p_bodies) WITH ORDINALITY AS m (topic, body, n) ORDER BY n) given
      RETURNING id, topic
  )
  SELECT string_agg(id || '.' || encode(topic, 'hex'), ' ' ORDER BY id) INTO v_ids FROM stored;
  PERFORM pg_notify('${channel}', v_ids);
END $$;

CREATE FUNCTION messages_of(p_ids bigint[]) RETURNS TABLE (id bigint, topic bytea, body text) ${PLPGSQL} $$
BEGIN
  RETURN QUERY SELECT m.id, m.topic, m.body FROM messages m WHERE m.id = ANY (p_ids) ORDER BY m.id;
END $$;

-- The messages of some topics after a number, among the next p_most ones. The first row has only the number to go on from.
CREATE FUNCTION messages_after(p_after bigint, p_topics bytea[], p_most integer)
RETURNS TABLE (id bigint, topic bytea, body text) ${BY_INDEX} $$
DECLARE
  v_last bigint;
BEGIN
  SELECT max(m.id) INTO v_last FROM (SELECT n.id FROM messages n WHERE n.id > p_after ORDER BY n.id LIMIT p_most) m;
  IF v_last IS NULL THEN
    -- After a crash of the server, numbers may be given again.
    SELECT least(p_after, last_value) INTO v_last FROM message_ids;
  END IF;
  RETURN QUERY SELECT v_last, NULL::bytea, NULL::text;
  RETURN QUERY SELECT m.id, m.topic, m.body FROM messages m
    WHERE m.id > p_after AND m.id <= v_last AND m.topic = ANY (p_topics) ORDER BY m.id;
END $$;

CREATE FUNCTION last_message() RETURNS bigint ${PLPGSQL} $$
BEGIN
  RETURN (SELECT last_value FROM message_ids);
END $$;

-- Removes messages of more than a minute ago, some at a time. Returns how many.
CREATE FUNCTION remove_messages(p_most integer) RETURNS integer ${BY_INDEX} $$
DECLARE
  v_count integer;
BEGIN
  PERFORM wait_for_disk(false);
  DELETE FROM messages WHERE ctid = ANY (ARRAY(
    SELECT m.ctid FROM (SELECT n.ctid, n.sent FROM messages n ORDER BY n.id LIMIT p_most) m
      WHERE m.sent < clock_timestamp() - interval '1 minute'
  ));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;
`;
}
