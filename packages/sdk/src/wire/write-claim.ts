// Writes the claim into `_meta`; `claim.ts` reads it. Two files, because browsers load only this one.

import type { JsonObject } from '../protocol/jsonrpc.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { encodeClientCapabilities } from './capabilities.ts';
import type { Claim } from './claim.ts';
import { encodeImplementation } from './encode-params.ts';

/** The `_meta` members of a claim. They are the same for every request of a client. */
export function claimMeta(claim: Partial<Claim> & Pick<Claim, 'revision' | 'capabilities'>): JsonObject {
  return {
    [META.protocolVersion]: claim.revision,
    [META.clientCapabilities]: encodeClientCapabilities(claim.capabilities, claim.revision),
    [META.clientInfo]: claim.client && encodeImplementation(claim.client, claim.revision),
    [META.logLevel]: claim.logLevel,
  };
}

/** The params of a modern request: the given ones, with the claim in their `_meta`. */
export function writeClaim(
  claim: Partial<Claim> & Pick<Claim, 'revision' | 'capabilities'>,
  params: JsonObject | undefined,
): JsonObject {
  return { ...params, _meta: { ...metaOf(params), ...claimMeta(claim) } };
}
