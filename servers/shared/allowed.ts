import type { CallContext } from 'tenon';
import { AccessError, Folders } from './folders.ts';

/** How long the roots of a client are cached, in milliseconds. */
const FRESH_MS = 1_000;

/**
 * Gives the folders that a call may use: those that the user named, narrowed to the client's roots if it has any; or just the roots, if the
 * user named none.
 */
export function createAllowed(named: Folders): (ctx: CallContext) => Promise<Folders> {
  const known = new WeakMap<object, { readonly at: number; readonly folders: Folders }>();
  const isOpen = named.given.length === 0;
  return async (ctx) => {
    if (!ctx.client.can('roots')) {
      if (isOpen) throw new AccessError('No folder is allowed: name some when you start the server, or offer roots');
      return named;
    }
    const { session } = ctx;
    const before = session === undefined ? undefined : known.get(session);
    if (before !== undefined && before.at + FRESH_MS > Date.now()) return before.folders;
    const uris = (await ctx.roots('roots')).map(({ uri }) => uri);
    const folders = isOpen ? await Folders.ofRoots(uris) : uris.length === 0 ? named : await named.narrowed(uris);
    if (session !== undefined) known.set(session, { at: Date.now(), folders });
    if (folders.given.length === 0) throw new AccessError("None of the client's roots is an allowed folder");
    return folders;
  };
}
