import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { AuthError } from '../protocol/auth-error.ts';
import { isScope } from '../protocol/scope.ts';
import { reasonOf, shown } from '../protocol/text.ts';
import { resourceSpellings } from './resource-spellings.ts';
import { KEYS_METADATA, TOKEN_CLAIMS } from './documents/documents.ts';
import { keySetAnswer, sourceOf } from './documents/read-answer.ts';
import { readMembersOnce } from './documents/read-document.ts';
import { readMembers, type Source } from './documents/read-members.ts';
import { metadataUrls } from './metadata.ts';
import { pauseAfterFailure } from './pause-after-failure.ts';
import type { VerifyToken } from './protected-resource.ts';
import { claimText, infoOf } from './token-info.ts';
import { createOwnWeb, type Web } from './web.ts';

/** Options of `jwt`. */
export interface JwtOptions {
  /** The issuer of the tokens, exactly as in `iss`. */
  readonly issuer: string;
  /** The keys, or their URL. Default: the URL in the metadata of the issuer. */
  readonly jwks?: string | JSONWebKeySet;
  /** The audience of the tokens, if it is not the URL of the server. Default: that URL. */
  readonly audience?: string | readonly string[];
  /**
   * What clients write before each scope when they ask for it, and the tokens leave out. It is put before the scopes of a token, so that the
   * server can require them in the form that clients need. Microsoft Entra ID does this, with the Application ID URI and a slash. Default:
   * nothing.
   */
  readonly scopePrefix?: string;
}

/** No symmetric algorithms: every server that can verify a token could forge one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const TOLERANCE_S = 30;

/** Thrown if the claims of the token are invalid. */
class InvalidToken extends Error {}

const TOKEN: Source = { what: 'The token', refuse: (sentence) => new InvalidToken(sentence) };

/** Errors of an invalid token. Other errors, for example when fetching the keys, do not mean that the token is invalid. */
const INVALID_TOKEN = [
  InvalidToken,
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/** Why a token is invalid, in words for the log. */
function whyInvalid(error: Error): string {
  if (!(error instanceof errors.JWTClaimValidationFailed) || (error.claim !== 'aud' && error.claim !== 'iss'))
    return error.message;
  return `${error.message}: ${claimText(error.payload[error.claim])}`;
}

/** Claims of ID tokens and security event tokens, which are not access tokens. */
const OTHER_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/** Is it an access token? Many authorization servers do not set the type (RFC 9068, section 2.1). */
function isAccessToken(type: string | undefined, claims: JWTPayload): boolean {
  const kind = type?.toLowerCase().replace(/^application\//, '');
  return (
    kind === 'at+jwt' || ((kind === undefined || kind === 'jwt') && !OTHER_TOKEN_CLAIMS.some((name) => name in claims))
  );
}

/** How long failed keys are not fetched again, in milliseconds. */
const PAUSE_MS = 5_000;

/** The keys at a URL, which are fetched when they are needed. */
function keysAt(url: URL, web: Web): JWTVerifyGetKey {
  const read = pauseAfterFailure(
    async (address: string, init: RequestInit) => keySetAnswer(await web.fetch(address, init)),
    PAUSE_MS,
  );
  return createRemoteJWKSet(url, { [customFetch]: (address, init) => read(address, init as RequestInit) });
}

/** Finds the keys of an issuer through its metadata. */
async function findKeys(issuer: string, web: Web): Promise<JWTVerifyGetKey> {
  const what = 'The metadata of the issuer';
  for (const place of metadataUrls(new URL(issuer))) {
    const found = await web.json(place, what);
    if (found === undefined) continue;
    const { issuer: own, jwks_uri: address } = readMembersOnce(found, KEYS_METADATA, sourceOf(what, 'discovery'));
    if (own === issuer && address !== undefined)
      return keysAt(web.guard.check(address, 'The URL of the keys', 'discovery'), web);
  }
  throw new AuthError('no-metadata', 'discovery', `The keys of ${shown(issuer, 100)} were not found: give \`jwks\``);
}

/**
 * Verifies access tokens that are JWTs (RFC 9068): signature, issuer, audience and expiry, with 30 seconds of clock tolerance. ID tokens,
 * and tokens that are bound to a client certificate, are refused. The keys are found through the metadata of the issuer, unless `jwks` is
 * given. Rejects with an `AuthError` when the keys cannot be fetched, which is not retried for 5 seconds. Throws a `TypeError` for a URL of
 * `jwks` that is neither https nor on this machine, and for a `scopePrefix` that no scope can begin with.
 *
 * @example
 * ```ts
 * import { jwt, protectedResource } from 'tenon/auth';
 *
 * const issuer = 'https://as.example.com';
 * const auth = protectedResource({
 *   resource: 'https://mcp.example.com/mcp',
 *   authorizationServers: [issuer],
 *   // This issuer writes a name of its own for the server into `aud`.
 *   verify: jwt({ issuer, jwks: 'https://as.example.com/keys', audience: 'notes-api' }),
 * });
 * ```
 */
export function jwt({ issuer, jwks, audience, scopePrefix = '' }: JwtOptions): VerifyToken {
  if (scopePrefix !== '' && !isScope(scopePrefix))
    throw new TypeError(`\`scopePrefix\` has no spaces, quotes or backslashes: ${shown(scopePrefix, 60)}`);
  const given =
    jwks === undefined
      ? undefined
      : typeof jwks === 'string'
        ? keysAt(new URL(jwks), createOwnWeb(jwks, '`jwks`'))
        : createLocalJWKSet(jwks);
  let found: JWTVerifyGetKey | undefined;
  let finding: Promise<JWTVerifyGetKey> | undefined;
  const find = pauseAfterFailure(async () => findKeys(issuer, createOwnWeb(issuer, 'The issuer')), PAUSE_MS);
  const keys = async (): Promise<JWTVerifyGetKey> => {
    finding ??= find().finally(() => (finding = undefined));
    return (found ??= await finding);
  };
  return async (token, resource) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, given ?? found ?? (await keys()), {
        issuer,
        audience: audience === undefined ? [...resourceSpellings(resource)] : [...[audience].flat()],
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_S,
        requiredClaims: ['exp'],
      });
      if (!isAccessToken(protectedHeader.typ, payload)) return { invalid: 'It is not an access token' };
      const info = infoOf(issuer, payload, readMembers(payload, TOKEN_CLAIMS, TOKEN), TOKEN);
      return 'invalid' in info ? info : { ...info, scopes: info.scopes.map((scope) => scopePrefix + scope) };
    } catch (error) {
      if (INVALID_TOKEN.some((kind) => error instanceof kind)) return { invalid: whyInvalid(error as Error) };
      if (error instanceof AuthError) throw error;
      const why = error instanceof Error ? reasonOf(error) : 'unknown reason';
      throw new AuthError('invalid-response', 'token', `The keys of ${shown(issuer, 100)} cannot be used: ${why}`, {
        cause: error,
      });
    }
  };
}
