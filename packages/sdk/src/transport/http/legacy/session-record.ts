import type { ClientCapabilities } from '../../../protocol/capabilities.ts';
import type { Implementation } from '../../../protocol/entities.ts';
import type { LogLevel } from '../../../protocol/log.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { withoutUndefined } from '../../../protocol/without-undefined.ts';
import type { HttpSession } from './http-session.ts';

/** The state of a session that nodes share. */
export interface SessionRecord {
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
