import { type CryptoKey, DPoP, type DPoPHandle } from 'oauth4webapi';
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { PROOF_NONCE } from './grammar.ts';

/** Makes DPoP proofs: that the sender of a token has the key it is bound to (RFC 9449). */
export interface DpopProofs {
  /** The private key, in the form in which it is stored. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly thumbprint: string;
  /** For the token endpoint. */
  readonly handle: DPoPHandle;
  /** Makes a proof for one request. `accessToken`: the token in the request, if there is one. */
  proof(method: string, url: string, accessToken?: string): Promise<string>;
  /** Remembers the nonce of an answer. Returns whether it is a new one. */
  learn(url: string, nonce: string | null | undefined): boolean;
}

const ALGORITHM = 'ES256';

/** The nonce in a proof, if there is one. */
export function nonceIn(proof: string | undefined): string | undefined {
  try {
    const { nonce } = decodeJwt(proof ?? '');
    return typeof nonce === 'string' ? nonce : undefined;
  } catch {
    return undefined;
  }
}

async function hash(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Is this key usable for proofs? */
export async function isProofKey(jwk: Readonly<Record<string, unknown>>): Promise<boolean> {
  try {
    const proofs = await createProofs(jwk);
    await proofs.proof('GET', 'https://localhost/');
    return true;
  } catch {
    return false;
  }
}

/** Makes proofs with a stored key, or with a new one. */
export async function createProofs(storedKey: Readonly<Record<string, unknown>> | undefined): Promise<DpopProofs> {
  const jwk: JWK =
    (storedKey as JWK | undefined) ??
    (await exportJWK((await generateKeyPair(ALGORITHM, { extractable: true })).privateKey));
  const key = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
  const { kty, crv, x, y } = jwk as JWK & { kty: string };
  const publicJwk = { kty, crv, x, y } as JWK;
  const publicKey = (await importJWK(publicJwk, ALGORITHM, { extractable: true })) as CryptoKey;
  const nonces = new Map<string, string>();
  return {
    handle: DPoP({}, { privateKey: key, publicKey }),
    jwk: jwk as Readonly<Record<string, unknown>>,
    thumbprint: await calculateJwkThumbprint(publicJwk),
    async proof(method, url, accessToken) {
      const { origin, pathname } = new URL(url);
      const nonce = nonces.get(origin);
      return new SignJWT({
        jti: crypto.randomUUID(),
        htm: method,
        htu: `${origin}${pathname}`,
        ath: accessToken === undefined ? undefined : await hash(accessToken),
        nonce,
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: ALGORITHM, jwk: publicJwk as never })
        .setIssuedAt()
        .sign(key);
    },
    learn(url, nonce) {
      if (!PROOF_NONCE.fits(nonce)) return false;
      const { origin } = new URL(url);
      const isNew = nonces.get(origin) !== nonce;
      nonces.set(origin, nonce);
      return isNew;
    },
  };
}
