// State of a server for each client, hidden from other clients.
import type { Context } from 'tenon';

/** How many principals have state; the least recently used one is dropped first. */
const MAX_PRINCIPALS = 1_000;

/**
 * Gives a function that returns the state of the caller: of its principal, across connections; else of its connection or session. Undefined
 * if callers cannot be distinguished, as over HTTP without authorization from 2026-07-28 on. `end` is called with state that is no longer
 * needed.
 */
export function perClient<T>(
  make: () => T,
  end: (state: T) => void = () => {},
): (ctx: Pick<Context, 'principal' | 'session'>) => T | undefined {
  const ofSessions = new WeakMap<object, T>();
  const ofPrincipals = new Map<string, T>();
  return ({ principal, session }) => {
    if (principal !== undefined) {
      const kept = ofPrincipals.get(principal.id) ?? make();
      ofPrincipals.delete(principal.id);
      ofPrincipals.set(principal.id, kept);
      if (ofPrincipals.size > MAX_PRINCIPALS) {
        const [[id, oldest]] = ofPrincipals as unknown as [[string, T]];
        ofPrincipals.delete(id);
        end(oldest);
      }
      return kept;
    }
    if (session === undefined) return undefined;
    const known = ofSessions.get(session);
    if (known !== undefined) return known;
    const made = make();
    ofSessions.set(session, made);
    session.signal.addEventListener('abort', () => end(made), { once: true });
    return made;
  };
}
