/** What a server has to change that broke a rule. The rules about recorded traffic and the errors of clients say the same. */
export const PEER_FIX = {
  output: 'Correct the result of the tool, or its outputSchema. Arguments and client are not the cause.',
  endlessList: 'Leave nextCursor out on the last page, and let each cursor stand for another page.',
} as const;

const BY_CODE: ReadonlyMap<unknown, string> = new Map([
  ['invalid-output', PEER_FIX.output],
  ['endless-list', PEER_FIX.endlessList],
]);

/** The advice for a `PeerError` with this code. */
export function fixForPeer(code: unknown): string | undefined {
  return BY_CODE.get(code);
}

/** What to do about a server that refuses a session with 404. */
export const SESSION_FIX = {
  /** It never knew the session that it gave, or knows it only sometimes. */
  unshared:
    'Several processes or nodes that do not share their sessions? Give them one store, or route all requests of a session to the same one (docs/http.md#several-nodes). If there is only one: was it restarted?',
  /** It knew the session before. */
  forgotten: 'Was the server restarted? Sessions kept in memory are lost then, and are not shared between processes.',
} as const;
