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
import { createUrlGuard } from './guard.ts';
import type { TokenInfo, VerifyToken } from './protected-resource.ts';
import { basic } from './token-endpoint.ts';
import { createWeb } from './web.ts';

/** How tokens that are JWTs are verified (RFC 9068). */
export interface JwtOptions {
  /** Who issues them, exactly as it is in `iss`. */
  readonly issuer: string;
  /** The keys: their address, or themselves. Default: where the issuer's metadata say they are. */
  readonly jwks?: string | JSONWebKeySet;
  /** Who they have to be for, where the authorization server does not use the address of the server. Default: that address. */
  readonly audience?: string | readonly string[];
}

/** Symmetric ones are not among them: who can verify could forge. */
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

/** What a token may be wrong about. Anything else that fails, such as the keys that cannot be had, says nothing about the token. */
const WRONG = [
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

const scopesOf = ({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] => {
  const said = scope ?? scp;
  if (typeof said === 'string') return said.split(' ').filter((one) => one !== '');
  return Array.isArray(said) ? said.filter((one): one is string => typeof one === 'string') : [];
};

const infoOf = (issuer: string, claims: Readonly<Record<string, unknown>>): TokenInfo => {
  const { sub, client_id: clientId, azp, cnf } = claims;
  const client = clientId ?? azp;
  const jkt = isObject(cnf) ? cnf['jkt'] : undefined;
  return {
    issuer,
    ...(typeof sub === 'string' ? { subject: sub } : {}),
    ...(typeof client === 'string' ? { clientId: client } : {}),
    scopes: scopesOf(claims),
    ...(typeof jkt === 'string' ? { keyThumbprint: jkt } : {}),
    claims,
  };
};

/** Claims that only tokens for something else have: what a program learns of its user, and what happened to them. */
const OTHERS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/** Is it a token to call servers with? Many authorization servers do not say (RFC 9068, section 2.1). */
const isAccessToken = (type: string | undefined, claims: JWTPayload): boolean => {
  const kind = type?.toLowerCase().replace(/^application\//, '');
  return kind === 'at+jwt' || ((kind === undefined || kind === 'jwt') && !OTHERS.some((name) => name in claims));
};

/** A token that is bound to something that is not checked here is no bearer token. */
const isBoundOtherwise = ({ cnf }: Readonly<Record<string, unknown>>): boolean =>
  cnf !== undefined && (!isObject(cnf) || Object.keys(cnf).some((name) => name !== 'jkt'));

/** Where the keys of an issuer are, by its metadata. */
const findKeys = async (issuer: string): Promise<JWTVerifyGetKey> => {
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
      return createRemoteJWKSet(web.guard.check(found['jwks_uri'], 'The address of the keys', 'discovery'), {
        [customFetch]: (address, init) => web.fetch(address, init as RequestInit),
      });
  }
  throw new Error(`The keys of ${issuer} were not found: give \`jwks\``);
};

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
export const jwt = ({ issuer, jwks, audience }: JwtOptions): VerifyToken => {
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
    // What could not be found out is asked for again with the next token.
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
      if (WRONG.some((kind) => error instanceof kind)) return undefined;
      throw error;
    }
    return isAccessToken(type, payload) && !isBoundOtherwise(payload) ? infoOf(issuer, payload) : undefined;
  };
};

/** How the authorization server is asked about tokens (RFC 7662). */
export interface IntrospectionOptions {
  /** Who issues them. */
  readonly issuer: string;
  readonly endpoint: string;
  /** Who asks. */
  readonly client: { readonly id: string; readonly secret: string };
  /** Who they have to be for, where the authorization server does not use the address of the server. Default: that address. */
  readonly audience?: string | readonly string[];
}

/**
 * Verifies opaque access tokens by asking the authorization server about each of them (token introspection: RFC 7662). `client` is how this server
 * authenticates there. Rejects when the authorization server does not answer with status 200.
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
export const introspection = ({ issuer, endpoint, client, audience }: IntrospectionOptions): VerifyToken => {
  const web = createWeb(createUrlGuard(new URL(endpoint), true), undefined, 'token');
  return async (token, resource) => {
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
    await basic(client.secret)({ issuer }, { client_id: client.id }, new URLSearchParams(), headers);
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' }).toString();
    const response = await web.fetch(endpoint, { method: 'POST', headers, body });
    if (response.status !== 200)
      throw new Error(`The authorization server did not tell about a token: status ${response.status}`);
    const said: unknown = await response.json();
    if (!isObject(said) || said['active'] !== true) return undefined;
    const wanted = audience === undefined ? [resource] : [audience].flat();
    const isFor = [said['aud']].flat().some((one) => wanted.includes(one as string));
    const isOver = typeof said['exp'] === 'number' && said['exp'] * 1_000 < Date.now() - TOLERANCE_S * 1_000;
    const isFrom = said['iss'] === undefined || said['iss'] === issuer;
    return isFor && isFrom && !isOver && !isBoundOtherwise(said) ? infoOf(issuer, said) : undefined;
  };
};
