// What a server keeps for one client, and shows to no other.
import type { Context } from 'tenon';

/** Most principals for whom something is kept; whoever was longest away goes first. */
const MOST = 1_000;

/**
 * Gives what is kept for whoever is calling: for a principal, whatever way they come; else for the connection or session. Undefined where
 * nobody can be told from anybody else, as over HTTP without authorization from 2026-07-28 on.
 */
export const perClient = <T>(make: () => T): ((ctx: Pick<Context, 'principal' | 'session'>) => T | undefined) => {
  const ofSessions = new WeakMap<object, T>();
  const ofPrincipals = new Map<string, T>();
  return ({ principal, session }) => {
    if (principal !== undefined) {
      const kept = ofPrincipals.get(principal.id) ?? make();
      ofPrincipals.delete(principal.id);
      ofPrincipals.set(principal.id, kept);
      if (ofPrincipals.size > MOST) ofPrincipals.delete(ofPrincipals.keys().next().value!);
      return kept;
    }
    if (session === undefined) return undefined;
    const kept = ofSessions.get(session) ?? make();
    ofSessions.set(session, kept);
    return kept;
  };
};
