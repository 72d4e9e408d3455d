import { type CryptoKey, DPoP, type DPoPHandle } from 'oauth4webapi';
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';

/** Proofs that who sends a token is who got it (RFC 9449). */
export interface Proofs {
  /** The key as it is kept. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly thumbprint: string;
  /** For the token endpoint. */
  readonly handle: DPoPHandle;
  /** A proof for one request. `accessToken`: for a request that carries one. */
  proof(method: string, url: string, accessToken?: string): Promise<string>;
  /** Takes the nonce of an answer. Gives whether it is a new one. */
  learn(url: string, nonce: string | null | undefined): boolean;
}

const ALGORITHM = 'ES256';

/** The nonce in a proof; undefined when there is none. */
export const nonceIn = (proof: string | undefined): string | undefined => {
  try {
    const { nonce } = decodeJwt(proof ?? '');
    return typeof nonce === 'string' ? nonce : undefined;
  } catch {
    return undefined;
  }
};

const hash = async (text: string): Promise<string> => {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
};

/** Can proofs be made with this key? */
export async function isProofKey(jwk: Readonly<Record<string, unknown>>): Promise<boolean> {
  try {
    const proofs = await createProofs(jwk);
    await proofs.proof('GET', 'https://localhost/');
    return true;
  } catch {
    return false;
  }
}

/** Makes proofs with a key that was kept, or a new one. */
export const createProofs = async (kept: Readonly<Record<string, unknown>> | undefined): Promise<Proofs> => {
  const jwk: JWK =
    (kept as JWK | undefined) ??
    (await exportJWK((await generateKeyPair(ALGORITHM, { extractable: true })).privateKey));
  const key = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
  const { kty, crv, x, y } = jwk as JWK & { kty: string };
  const open = { kty, crv, x, y } as JWK;
  const publicKey = (await importJWK(open, ALGORITHM, { extractable: true })) as CryptoKey;
  const nonces = new Map<string, string>();
  return {
    handle: DPoP({}, { privateKey: key, publicKey }),
    jwk: jwk as Readonly<Record<string, unknown>>,
    thumbprint: await calculateJwkThumbprint(open),
    async proof(method, url, accessToken) {
      const { origin, pathname } = new URL(url);
      const nonce = nonces.get(origin);
      return new SignJWT({
        jti: crypto.randomUUID(),
        htm: method,
        htu: `${origin}${pathname}`,
        ...(accessToken === undefined ? {} : { ath: await hash(accessToken) }),
        ...(nonce === undefined ? {} : { nonce }),
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: ALGORITHM, jwk: open as never })
        .setIssuedAt()
        .sign(key);
    },
    learn(url, nonce) {
      if (nonce == null || nonce === '') return false;
      const { origin } = new URL(url);
      const isNew = nonces.get(origin) !== nonce;
      nonces.set(origin, nonce);
      return isNew;
    },
  };
};
