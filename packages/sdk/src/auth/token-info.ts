import type { JsonObject } from '../protocol/jsonrpc.ts';
import { shown } from '../protocol/text.ts';
import { CONFIRMATION, type TOKEN_CLAIMS } from './documents/documents.ts';
import { type Read, readMembers, type Source } from './documents/read-members.ts';
import { scopesIn } from './grammar.ts';
import type { InvalidToken, TokenInfo } from './protected-resource.ts';

/**
 * The `TokenInfo` of a token with these claims. A token that is bound to something other than a key of DPoP, which is not checked here, is
 * invalid. Throws the error of `source` for an invalid `cnf`.
 */
export function infoOf(
  issuer: string,
  claims: JsonObject,
  read: Read<typeof TOKEN_CLAIMS>,
  source: Source,
): TokenInfo | InvalidToken {
  const { cnf, scope, scp } = read;
  if (cnf !== undefined && Object.keys(cnf).some((name) => name !== 'jkt'))
    return { invalid: 'It is bound to something other than a DPoP key' };
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

/** The values of a claim that may be a list, as text for the log. */
export function claimText(claim: unknown): string {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.length === 0 || claim === undefined
    ? 'missing'
    : values
        .slice(0, 5)
        .map((value) => shown(value))
        .join(', ');
}
