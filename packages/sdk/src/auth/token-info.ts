import type { JsonObject } from '../protocol/jsonrpc.ts';
import { CONFIRMATION, type TOKEN_CLAIMS } from './documents/documents.ts';
import { type Read, readMembers, type Source } from './documents/read-members.ts';
import { scopesIn } from './grammar.ts';
import type { TokenInfo } from './protected-resource.ts';

/**
 * The `TokenInfo` of a token with these claims. Undefined for a token that is bound to something other than a key of DPoP, which is not
 * checked here: such a token must not be accepted. Throws the error of `source` for an invalid `cnf`.
 */
export function infoOf(
  issuer: string,
  claims: JsonObject,
  read: Read<typeof TOKEN_CLAIMS>,
  source: Source,
): TokenInfo | undefined {
  const { cnf, scope, scp } = read;
  if (cnf !== undefined && Object.keys(cnf).some((name) => name !== 'jkt')) return undefined;
  const scopes = scope ?? scp;
  return {
    issuer,
    subject: read.sub,
    clientId: read.client_id ?? read.azp,
    scopes: typeof scopes === 'string' ? scopesIn(scopes) : (scopes ?? []),
    keyThumbprint: cnf === undefined ? undefined : readMembers(cnf, CONFIRMATION, source).jkt,
    claims,
  };
}
