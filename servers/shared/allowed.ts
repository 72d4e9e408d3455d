import type { CallContext } from 'tenon';
import { AccessError, Folders } from './folders.ts';

/** What a client said lately is not asked for again for so long. */
const FRESH_MS = 1_000;

/**
 * The folders a call may use: those the user named, narrowed to the roots of the client where it has some; where the user named none, the
 * roots themselves.
 */
export const createAllowed = (named: Folders): ((ctx: CallContext) => Promise<Folders>) => {
  const known = new WeakMap<object, { readonly at: number; readonly folders: Folders }>();
  const isOpen = named.given.length === 0;
  return async (ctx) => {
    if (!ctx.client.can('roots')) {
      if (isOpen) throw new AccessError('No folder is allowed: name some when the server is started, or give roots');
      return named;
    }
    const { session } = ctx;
    const before = session === undefined ? undefined : known.get(session);
    if (before !== undefined && before.at + FRESH_MS > Date.now()) return before.folders;
    const uris = (await ctx.roots('roots')).map(({ uri }) => uri);
    const folders = isOpen ? await Folders.ofRoots(uris) : uris.length === 0 ? named : await named.narrowed(uris);
    if (session !== undefined) known.set(session, { at: Date.now(), folders });
    if (folders.given.length === 0)
      throw new AccessError('None of the roots of the client is a folder that is allowed');
    return folders;
  };
};
