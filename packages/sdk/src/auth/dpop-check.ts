import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import type { AuthRequest } from '../protocol/auth.ts';

/** How far the time of a proof may be in the past or future, in seconds. */
const MAX_AGE_S = 300;
/** How many proofs are remembered; the oldest are forgotten first. */
const MAX_PROOFS = 100_000;

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

/** Checks DPoP proofs: that the sender of a token has its key (RFC 9449, section 4.3). Each proof is accepted once. */
export function createProofCheck(
  endpoint: string,
): (request: AuthRequest, token: string, keyThumbprint: string) => Promise<boolean> {
  const seen = new Map<string, number>();
  const isNew = (id: string): boolean => {
    const now = Date.now();
    for (const [old, until] of seen) {
      if (until > now && seen.size < MAX_PROOFS) break;
      seen.delete(old);
    }
    if (seen.has(id)) return false;
    seen.set(id, now + 2 * MAX_AGE_S * 1_000);
    return true;
  };
  return async (request, token, keyThumbprint) => {
    const proof = request.header('dpop') ?? '';
    try {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: ALGORITHMS,
      });
      const { jti, htm, htu, ath, iat } = payload;
      const age = Math.abs(Date.now() / 1_000 - (iat ?? 0));
      return (
        typeof jti === 'string' &&
        htm === request.method &&
        withoutQuery(htu) === endpoint &&
        age <= MAX_AGE_S &&
        ath === (await hash(token)) &&
        (await calculateJwkThumbprint(protectedHeader.jwk!)) === keyThumbprint &&
        isNew(`${keyThumbprint} ${jti}`)
      );
    } catch {
      return false;
    }
  };
}
