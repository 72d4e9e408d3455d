import type { ClientCapabilities } from '../../../protocol/capabilities.ts';
import type { Implementation } from '../../../protocol/entities.ts';
import type { LogLevel } from '../../../protocol/log.ts';
import { andThen, type Maybe } from '../../../protocol/maybe.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { FORMAT, type Formatted, isNewer, isReadable, newerFormatError } from '../../../store/record-format.ts';
import type { Store } from '../../../store/store.ts';
import { withoutUndefined } from '../../../protocol/without-undefined.ts';
import type { HttpSession } from './http-session.ts';

/** The state of a session that nodes share. */
export interface SessionRecord extends Formatted {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client?: Implementation;
  readonly lists: readonly string[];
  readonly owner?: string;
  readonly home: string;
  /** How often its client has opened a stream for notifications. Only the newest one counts, at the home of the session. */
  readonly streams: number;
  readonly level: LogLevel;
  readonly initialized: boolean;
  readonly subscribed: readonly string[];
}

/** The key of a session in the store. */
export function keyOf(id: string): string {
  return `tenon/session/${id}`;
}

/** The state that is shared with other nodes. */
export function recordOf({ agreed, owner, home, streams }: HttpSession): SessionRecord {
  // A store carries JSON.
  return withoutUndefined({
    format: FORMAT,
    revision: agreed.revision,
    capabilities: agreed.capabilities,
    client: agreed.client,
    lists: [...agreed.lists],
    owner,
    home,
    streams,
    level: agreed.level,
    initialized: agreed.initialized,
    subscribed: [...agreed.subscribed],
  });
}

/**
 * Replaces the stored state of a session by what `change` makes of it, and again if another node was faster. Returns what is stored then;
 * undefined if the session has ended. Throws as `recordIn` does.
 */
export function changeRecord(
  store: Store,
  id: string,
  lifeMs: number,
  change: (kept: SessionRecord) => SessionRecord,
): Maybe<SessionRecord | undefined> {
  return andThen(store.get(keyOf(id)), (found) => {
    const kept = recordIn(found);
    if (kept === undefined) return undefined;
    const next = change(kept);
    return andThen(store.swap(keyOf(id), kept, next, lifeMs), (done) =>
      done ? next : changeRecord(store, id, lifeMs, change),
    );
  });
}

/** What is stored about a session. Undefined if that cannot be read. */
export function readableRecord(found: unknown): SessionRecord | undefined {
  return isReadable(found) ? (found as SessionRecord) : undefined;
}

/**
 * The same for a request. Throws an `UnavailableError` if a newer version has stored it: other nodes have the session. An older one that cannot
 * be read any more has ended.
 */
export function recordIn(found: unknown): SessionRecord | undefined {
  if (isNewer(found)) throw newerFormatError('The session');
  return readableRecord(found);
}
