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
import { isObject } from '../protocol/jsonrpc.ts';
import { createUrlGuard } from './url-guard.ts';
import type { TokenInfo, VerifyToken } from './protected-resource.ts';
import { basic } from './token-endpoint.ts';
import { createWeb } from './web.ts';

/** Options of `jwt`. */
export interface JwtOptions {
  /** The issuer of the tokens, exactly as in `iss`. */
  readonly issuer: string;
  /** The keys, or their URL. Default: the URL in the metadata of the issuer. */
  readonly jwks?: string | JSONWebKeySet;
  /** The audience of the tokens, if it is not the URL of the server. Default: that URL. */
  readonly audience?: string | readonly string[];
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

/** Errors of an invalid token. Other errors, for example when fetching the keys, do not mean that the token is invalid. */
const INVALID_TOKEN = [
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

function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  const scopes = scope ?? scp;
  if (typeof scopes === 'string') return scopes.split(' ').filter((name) => name !== '');
  return Array.isArray(scopes) ? scopes.filter((name): name is string => typeof name === 'string') : [];
}

function infoOf(issuer: string, claims: Readonly<Record<string, unknown>>): TokenInfo {
  const { sub, client_id: clientId, azp, cnf } = claims;
  const client = clientId ?? azp;
  const jkt = isObject(cnf) ? cnf['jkt'] : undefined;
  return {
    issuer,
    subject: typeof sub === 'string' ? sub : undefined,
    clientId: typeof client === 'string' ? client : undefined,
    scopes: scopesOf(claims),
    keyThumbprint: typeof jkt === 'string' ? jkt : undefined,
    claims,
  };
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

/** Is the token bound to something other than a DPoP key, which is not checked here? Such a token must not be accepted. */
function isBoundOtherwise({ cnf }: Readonly<Record<string, unknown>>): boolean {
  return cnf !== undefined && (!isObject(cnf) || Object.keys(cnf).some((name) => name !== 'jkt'));
}

/** Finds the keys of an issuer through its metadata. */
async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const url = new URL(issuer);
  const web = createWeb(createUrlGuard(url, true), undefined);
  const path = url.pathname.replace(/\/$/, '');
  for (const place of [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    `${url.origin}${path}/.well-known/openid-configuration`,
  ]) {
    const found = await web.json(place, 'The metadata of the issuer');
    if (found === undefined) continue;
    if (found['issuer'] === issuer && typeof found['jwks_uri'] === 'string')
      return createRemoteJWKSet(web.guard.check(found['jwks_uri'], 'The URL of the keys', 'discovery'), {
        [customFetch]: (address, init) => web.fetch(address, init as RequestInit),
      });
  }
  throw new Error(`The keys of ${issuer} were not found: give \`jwks\``);
}

/**
 * Verifies access tokens that are JWTs (RFC 9068): signature, issuer, audience and expiry, with 30 seconds of clock tolerance. ID tokens, and
 * tokens that are bound to a client certificate, are refused. The keys are found through the metadata of the issuer, unless `jwks` is given.
 * Rejects when the keys cannot be fetched.
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
export function jwt({ issuer, jwks, audience }: JwtOptions): VerifyToken {
  const given =
    jwks === undefined
      ? undefined
      : typeof jwks === 'string'
        ? createRemoteJWKSet(new URL(jwks))
        : createLocalJWKSet(jwks);
  let found: Promise<JWTVerifyGetKey> | undefined;
  const keys = async (): Promise<JWTVerifyGetKey> => {
    if (given !== undefined) return given;
    found ??= findKeys(issuer);
    // After a failure, the keys are looked up again for the next token.
    found.catch(() => {
      found = undefined;
    });
    return found;
  };
  return async (token, resource) => {
    let payload: JWTPayload;
    let type: string | undefined;
    try {
      ({
        payload,
        protectedHeader: { typ: type },
      } = await jwtVerify(token, await keys(), {
        issuer,
        audience: audience === undefined ? resource : [...[audience].flat()],
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_S,
        requiredClaims: ['exp'],
      }));
    } catch (error) {
      if (INVALID_TOKEN.some((kind) => error instanceof kind)) return undefined;
      throw error;
    }
    return isAccessToken(type, payload) && !isBoundOtherwise(payload) ? infoOf(issuer, payload) : undefined;
  };
}

/** Options of `introspection`. */
export interface IntrospectionOptions {
  /** The issuer of the tokens. A response that names another issuer is refused. */
  readonly issuer: string;
  /** The URL of the introspection endpoint. */
  readonly endpoint: string;
  /** The client credentials of this server at the authorization server. */
  readonly client: {
    /** The client id. */
    readonly id: string;
    /** The client secret, which is sent as HTTP Basic authentication (RFC 6749, section 2.3.1). */
    readonly secret: string;
  };
  /** The audience of the tokens, if it is not the URL of the server. Default: that URL. */
  readonly audience?: string | readonly string[];
}

/**
 * Verifies opaque access tokens by asking the authorization server about each of them (token introspection: RFC 7662). `client` is how this server
 * authenticates there. A token is refused without the right audience in `aud`. Rejects when the authorization server does not answer with status
 * 200. Throws a `TypeError` for an `endpoint` that is no URL.
 *
 * @example
 * ```ts
 * import { introspection, protectedResource } from 'tenon/auth';
 *
 * const issuer = 'https://as.example.com';
 * const auth = protectedResource({
 *   resource: 'https://mcp.example.com/mcp',
 *   authorizationServers: [issuer],
 *   verify: introspection({
 *     issuer,
 *     endpoint: 'https://as.example.com/introspect',
 *     client: { id: 'notes-server', secret: process.env['CLIENT_SECRET'] ?? '' },
 *   }),
 * });
 * ```
 */
export function introspection({ issuer, endpoint, client, audience }: IntrospectionOptions): VerifyToken {
  const web = createWeb(createUrlGuard(new URL(endpoint), true), undefined, 'token');
  return async (token, resource) => {
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
    await basic(client.secret)({ issuer }, { client_id: client.id }, new URLSearchParams(), headers);
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' }).toString();
    const response = await web.fetch(endpoint, { method: 'POST', headers, body });
    if (response.status !== 200)
      throw new Error(`The authorization server did not introspect a token: status ${response.status}`);
    const said: unknown = await response.json();
    if (!isObject(said) || said['active'] !== true) return undefined;
    const wanted = audience === undefined ? [resource] : [audience].flat();
    const isFor = [said['aud']].flat().some((one) => wanted.includes(one as string));
    const isExpired = typeof said['exp'] === 'number' && said['exp'] * 1_000 < Date.now() - TOLERANCE_S * 1_000;
    const isFrom = said['iss'] === undefined || said['iss'] === issuer;
    return isFor && isFrom && !isExpired && !isBoundOtherwise(said) ? infoOf(issuer, said) : undefined;
  };
}
