import type { CallContext } from 'tenon';
import { AccessError, Folders } from './folders.ts';

/**
 * Gives the folders that a call may use: those that the user named, narrowed to the client's roots if it has any; or just the roots, if the
 * user named none. The client is asked in every call: a root that it withdraws is closed at once, and not every revision has a notification
 * of changed roots.
 */
export function createAllowed(named: Folders): (ctx: CallContext) => Promise<Folders> {
  const isOpen = named.given.length === 0;
  return async (ctx) => {
    if (!ctx.client.can('roots')) {
      if (isOpen) throw new AccessError('No folder is allowed: name some when you start the server, or offer roots');
      return named;
    }
    const uris = (await ctx.roots('roots')).map(({ uri }) => uri);
    const folders = isOpen ? await Folders.ofRoots(uris) : uris.length === 0 ? named : await named.narrowed(uris);
    if (folders.given.length === 0) throw new AccessError("None of the client's roots is an allowed folder");
    return folders;
  };
}
