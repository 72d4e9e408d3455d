import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import type { AuthRequest } from '../protocol/auth.ts';
import { ProofMemory } from './proof-memory.ts';

/** How far the time of a proof may be in the past or future, in seconds. */
const MAX_AGE_S = 300;
/** How long a proof is remembered: from the earliest time at which it is accepted to the latest. */
const KEPT_MS = 2 * MAX_AGE_S * 1_000;
/** How many proofs are remembered, and how long the id of one may be, in characters. */
const MAX_PROOFS = 100_000;
const MAX_ID = 256;

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS256', 'PS256'];

async function hash(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function withoutQuery(text: unknown): string | undefined {
  try {
    const { origin, pathname } = new URL(String(text));
    return `${origin}${pathname}`;
  } catch {
    return undefined;
  }
}

/**
 * Checks DPoP proofs: that the sender of a token has its key (RFC 9449, section 4.3). Each proof is accepted once, by all nodes that share the
 * store of the server (section 11.1). Rejects while that is unavailable.
 */
export function createProofCheck(
  endpoint: string,
): (request: AuthRequest, token: string, keyThumbprint: string) => Promise<boolean> {
  const used = new ProofMemory(MAX_PROOFS, KEPT_MS);
  /** The id of a valid proof that was not used at this node; undefined for any other. */
  const unusedId = async (request: AuthRequest, token: string, keyThumbprint: string): Promise<string | undefined> => {
    const proof = request.header('dpop') ?? '';
    try {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: ALGORITHMS,
      });
      const { jti, htm, htu, ath, iat } = payload;
      const age = Math.abs(Date.now() / 1_000 - (iat ?? 0));
      const isValid =
        typeof jti === 'string' &&
        jti.length <= MAX_ID &&
        htm === request.method &&
        withoutQuery(htu) === endpoint &&
        age <= MAX_AGE_S &&
        ath === (await hash(token)) &&
        (await calculateJwkThumbprint(protectedHeader.jwk!)) === keyThumbprint &&
        used.add(keyThumbprint, jti);
      return isValid ? jti : undefined;
    } catch {
      return undefined;
    }
  };
  return async (request, token, keyThumbprint) => {
    const id = await unusedId(request, token, keyThumbprint);
    if (id === undefined || request.useOnce === undefined) return id !== undefined;
    // A peer chooses the id, so it is not a part of a key as it is.
    return request.useOnce(`dpop/${await hash(`${keyThumbprint} ${id}`)}`, KEPT_MS);
  };
}
