import type { HttpSession } from './http-session.ts';
import type { KeyCounter } from '../key-counter.ts';

/** The time after which a client is unlikely to still send `notifications/initialized`, in milliseconds. */
const HANDSHAKE_MS = 5_000;

/** The sessions to search, and data about them. */
interface Search {
  readonly now: number;
  /** The number of sessions of each client, by quota key. */
  readonly counts: KeyCounter;
  /** Undefined: the sessions of all clients. */
  readonly quotaKey: string | undefined;
}

/**
 * The session to end when another one needs its place: first those whose client never sent `notifications/initialized`, then those of the
 * client with the most sessions, then the least recently used. Undefined if all are in use.
 */
export function findLeastUseful(
  sessions: Iterable<HttpSession>,
  { now, counts, quotaKey }: Search,
): HttpSession | undefined {
  let found: HttpSession | undefined;
  let foundStale = false;
  let foundCount = 0;
  for (const session of sessions) {
    if ((quotaKey !== undefined && session.agreed.quotaKey !== quotaKey) || isInUse(session)) continue;
    const stale = !session.agreed.initialized && session.lastUsed <= now - HANDSHAKE_MS;
    if (foundStale && !stale) continue;
    const count = counts.count(session.agreed.quotaKey);
    const first = found === undefined || stale !== foundStale;
    if (!first && (count < foundCount || (count === foundCount && session.lastUsed >= found!.lastUsed))) continue;
    [found, foundStale, foundCount] = [session, stale, count];
  }
  return found;
}

/** Its client has an open stream, here or on another node, or a call is running. */
function isInUse({ notificationStream, listensElsewhere, followed, callService, responses }: HttpSession): boolean {
  return (
    notificationStream !== undefined ||
    listensElsewhere ||
    followed > 0 ||
    callService?.calls.anyOpen === true ||
    (responses?.size ?? 0) > 0
  );
}
