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
