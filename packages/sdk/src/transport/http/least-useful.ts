import type { HttpSession } from './http-session.ts';
import type { Tally } from './tally.ts';

/** A client that has not said for so long that it is ready, will hardly do so any more; in milliseconds. */
const HANDSHAKE_MS = 5_000;

/** Which sessions are looked at, and what is known of them besides. */
interface Search {
  readonly now: number;
  /** How many sessions each client has, by quota key. */
  readonly held: Tally;
  /** Undefined: those of all clients. */
  readonly quotaKey: string | undefined;
}

/**
 * The session that would be missed least, when another needs its place: first those whose client never said that it is ready, then those of
 * the client that has most, then those that were not used for longest. Undefined where all are in use.
 */
export function findLeastUseful(
  sessions: Iterable<HttpSession>,
  { now, held, quotaKey }: Search,
): HttpSession | undefined {
  let found: HttpSession | undefined;
  let foundStale = false;
  let foundCount = 0;
  for (const session of sessions) {
    if ((quotaKey !== undefined && session.agreed.quotaKey !== quotaKey) || isInUse(session)) continue;
    const stale = !session.agreed.initialized && session.seen <= now - HANDSHAKE_MS;
    if (foundStale && !stale) continue;
    const count = held.count(session.agreed.quotaKey);
    const first = found === undefined || stale !== foundStale;
    if (!first && (count < foundCount || (count === foundCount && session.seen >= found!.seen))) continue;
    [found, foundStale, foundCount] = [session, stale, count];
  }
  return found;
}

/** Its client listens, here or on another node, or something runs for it. */
const isInUse = ({ listening, elsewhere, scope, streams }: HttpSession): boolean =>
  listening !== undefined || elsewhere || scope?.calls.anyOpen === true || (streams?.size ?? 0) > 0;
