import type { HttpSession } from './http-session.ts';

/** A client that has not said for so long that it is ready, will hardly do so any more; in milliseconds. */
const HANDSHAKE_MS = 5_000;

/** Which sessions are looked at, and what is known of them besides. */
interface Search {
  readonly now: number;
  /** How many sessions a caller has. */
  readonly heldBy: (caller: string | undefined) => number;
  /** Only those of this caller. */
  readonly caller: string | undefined;
}

/**
 * The session that would be missed least, when another needs its place: first those whose client never said that it is ready, then those of
 * the caller that has most, then those that were not used for longest. Undefined where all are in use.
 */
export function findLeastUseful(
  sessions: Iterable<HttpSession>,
  { now, heldBy, caller }: Search,
): HttpSession | undefined {
  let found: HttpSession | undefined;
  let foundStale = false;
  let foundHeld = 0;
  for (const session of sessions) {
    if ((caller !== undefined && session.caller !== caller) || isInUse(session)) continue;
    const stale = !session.agreed.initialized && session.seen <= now - HANDSHAKE_MS;
    if (foundStale && !stale) continue;
    const held = heldBy(session.caller);
    const first = found === undefined || stale !== foundStale;
    if (!first && (held < foundHeld || (held === foundHeld && session.seen >= found!.seen))) continue;
    [found, foundStale, foundHeld] = [session, stale, held];
  }
  return found;
}

/** Its client listens, here or on another node, or something runs for it. */
const isInUse = ({ listening, elsewhere, scope, streams }: HttpSession): boolean =>
  listening !== undefined || elsewhere || scope?.calls.anyOpen === true || (streams?.size ?? 0) > 0;
