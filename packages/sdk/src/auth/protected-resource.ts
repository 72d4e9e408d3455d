import type { Authenticate, AuthRequest, Denial, Gatekeeper } from '../protocol/auth.ts';
import { isPrincipalId } from '../protocol/identity.ts';
import { isScope } from '../protocol/scope.ts';
import type { Principal } from '../protocol/request-context.ts';
import type { Maybe } from '../protocol/maybe.ts';
import { shown } from '../protocol/text.ts';
import { createProofCheck } from './dpop-check.ts';
import { isLoopbackHost } from './url-guard.ts';
import { VerificationLimit } from './verification-limit.ts';

/** The contents of a verified token. */
export interface TokenInfo {
  /** The issuer of the token. */
  readonly issuer: string;
  /** The user, or the program itself, that it was issued to. */
  readonly subject?: string | undefined;
  /** The client that it was issued to (`client_id` or `azp`). */
  readonly clientId?: string | undefined;
  /** The granted scopes; empty if the token names none. */
  readonly scopes: readonly string[];
  /** The thumbprint of the key it is bound to (`cnf.jkt`, RFC 9449). */
  readonly keyThumbprint?: string | undefined;
  /** All claims of the token, or all members of the introspection response. A handler reads them as `ctx.principal.claims`. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A token that is not valid here. */
export interface InvalidToken {
  /** Why it is not valid. Only the log of the server gets the reason, so it must not contain the token. */
  readonly invalid: string;
}

/**
 * Verifies a token for a resource: returns its contents, or `{ invalid }` or undefined if it is not valid. It must check the audience of the
 * token, which has to be `resource`. `request`: the request that contains the token. Rejects if the token could not be verified, for example
 * because the keys could not be fetched: the request is then answered with status 503, and the error is logged.
 */
export type VerifyToken = (
  token: string,
  resource: string,
  request?: AuthRequest,
) => Maybe<TokenInfo | InvalidToken | undefined>;

/** Options of `protectedResource`. */
export interface ProtectedResourceOptions {
  /** The URL of the server that its clients use. Tokens must be issued for it. */
  readonly resource: string;
  /** The issuers of the authorization servers that issue tokens for this server. */
  readonly authorizationServers: readonly string[];
  /** `jwt({ … })`, `introspection({ … })`, or your own function. */
  readonly verify: VerifyToken;
  /** The scopes that every request needs. Default: none. */
  readonly scopes?: readonly string[];
  /** Scopes of the server beside `scopes`, for clients that request them in advance. Default: none. */
  readonly scopesSupported?: readonly string[];
  /** The name of the server, for display. Default: none. */
  readonly name?: string;
}

function checkedResource(text: string): URL {
  const url = new URL(text);
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!secure || url.hash !== '' || url.search !== '')
    throw new TypeError(`\`resource\` must be an https URL without query and fragment, got ${text}`);
  return url;
}

/** A parameter of a challenge, quoted. */
function quoted(name: string, value: string): string {
  return `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The token of a request and its scheme. Tokens in the URL are ignored. */
function tokenOf(request: AuthRequest): { readonly scheme: 'bearer' | 'dpop'; readonly token: string } | undefined {
  const [, scheme = '', token = ''] =
    /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(request.header('authorization') ?? '') ?? [];
  return token === '' ? undefined : { scheme: scheme.toLowerCase() as 'bearer' | 'dpop', token };
}

/**
 * Protects a server by OAuth: every request needs an access token that was issued for `resource`. Without a valid one it is answered with status
 * 401, and with 403 when a scope is missing; the challenge says where tokens can be obtained (RFC 9728). The token's issuer and subject become
 * `ctx.principal`. Give it to `serveHttp`, `nodeHandler` or `serveFetch` as `auth`.
 *
 * Throws a `TypeError` for a `resource` that is neither https nor on this machine, without any `authorizationServers`, and for a scope that cannot
 * be written in a challenge.
 *
 * @example
 * ```ts
 * import { server, tool } from 'tenon';
 * import { jwt, protectedResource } from 'tenon/auth';
 * import { serveHttp } from 'tenon/node';
 *
 * const app = server({
 *   name: 'notes',
 *   version: '1.0.0',
 *   tools: { whoami: tool({}, (_, { principal }) => principal?.id ?? 'unknown') },
 * });
 * const issuer = 'https://as.example.com';
 * await serveHttp(app, {
 *   allowedHosts: ['mcp.example.com'],
 *   auth: protectedResource({
 *     resource: 'https://mcp.example.com/mcp',
 *     authorizationServers: [issuer],
 *     scopes: ['notes:read'],
 *     verify: jwt({ issuer }),
 *   }),
 * });
 * ```
 */
export function protectedResource(options: ProtectedResourceOptions): Gatekeeper {
  const { resource, authorizationServers, verify, scopes = [], scopesSupported = [], name } = options;
  const allScopes = [...new Set([...scopes, ...scopesSupported])];
  const { origin, pathname } = checkedResource(resource);
  if (authorizationServers.length === 0) throw new TypeError('`authorizationServers` must name at least one');
  for (const scope of allScopes)
    if (!isScope(scope)) throw new TypeError(`A scope has no spaces, quotes or backslashes: ${shown(scope, 60)}`);
  const root = '/.well-known/oauth-protected-resource';
  const path = pathname === '/' ? root : `${root}${pathname.replace(/\/$/, '')}`;
  const metadata = JSON.stringify({
    resource,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    scopes_supported: allScopes.length === 0 ? undefined : allScopes,
    resource_name: name,
  });
  const proofs = createProofCheck(`${origin}${pathname}`);

  const challenge = (scheme: 'Bearer' | 'DPoP', error?: string, needed = scopes): Readonly<Record<string, string>> => ({
    'www-authenticate': `${scheme} ${[
      ...(error === undefined ? [] : [quoted('error', error)]),
      ...(needed.length === 0 ? [] : [quoted('scope', needed.join(' '))]),
      quoted('resource_metadata', `${origin}${path}`),
    ].join(', ')}`,
  });
  const invalid = (cause: string | undefined, scheme: 'Bearer' | 'DPoP' = 'Bearer'): Denial => ({
    status: 401,
    cause,
    message: 'The token is not valid here',
    headers: challenge(scheme, 'invalid_token'),
  });

  const insufficient = (scheme: 'Bearer' | 'DPoP', needed: readonly string[]): Denial => ({
    status: 403,
    message: `These scopes are needed: ${needed.join(' ')}`,
    headers: challenge(scheme, 'insufficient_scope', needed),
  });

  const limit = new VerificationLimit();
  /** The contents of a token, or a refusal if it is invalid or cannot be verified. */
  const verified = async (request: AuthRequest, token: string): Promise<TokenInfo | Denial> => {
    const { peer } = request;
    const decision = limit.decide(peer, token);
    if (decision === 'invalid') return invalid('It was verified before, and was not valid');
    if (decision === 'refuse') return TOO_MANY;
    let found: TokenInfo | InvalidToken | undefined;
    try {
      found = await verify(token, resource, request);
    } catch (cause) {
      return { ...UNVERIFIABLE, cause };
    }
    const isValid = found !== undefined && !('invalid' in found);
    limit.record(peer, token, isValid);
    return isValid ? (found as TokenInfo) : invalid((found as InvalidToken | undefined)?.invalid);
  };

  /** Is the proof of a request valid? A refusal if that cannot be found out. */
  const checkProof = async (request: AuthRequest, token: string, keyThumbprint: string): Promise<boolean | Denial> => {
    try {
      return await proofs(request, token, keyThumbprint);
    } catch (cause) {
      return { ...UNVERIFIABLE, cause };
    }
  };

  const authenticate = async (request: AuthRequest): Promise<Principal | Denial> => {
    const sent = tokenOf(request);
    if (sent === undefined) {
      const isMissing = (request.header('authorization') ?? '') === '';
      return isMissing
        ? { status: 401, message: 'A token is needed', headers: challenge('Bearer') }
        : { ...invalid(undefined), message: 'The Authorization header is not a valid Bearer or DPoP token' };
    }
    const info = await verified(request, sent.token);
    if ('status' in info) return info;
    const { keyThumbprint } = info;
    // A token that is bound to a key needs a proof, and only such a token may be sent with one.
    if ((keyThumbprint !== undefined) !== (sent.scheme === 'dpop'))
      return keyThumbprint === undefined
        ? invalid('It is not bound to a key, and was sent with DPoP')
        : invalid('It is bound to a key, and was sent as a Bearer token', 'DPoP');
    if (keyThumbprint !== undefined) {
      const proven = await checkProof(request, sent.token, keyThumbprint);
      if (typeof proven !== 'boolean') return proven;
      if (!proven)
        return { status: 401, message: 'The proof is not valid', headers: challenge('DPoP', 'invalid_dpop_proof') };
    }
    const id = principalId(info);
    if (id === undefined) return invalid('It has neither a subject nor a client');
    if (scopes.some((scope) => !info.scopes.includes(scope)))
      return insufficient(keyThumbprint === undefined ? 'Bearer' : 'DPoP', scopes);
    return { id, scopes: info.scopes, claims: info.claims };
  };
  return {
    authenticate: authenticate as Authenticate,
    document: (at) => (at === path || at === root ? metadata : undefined),
    insufficient: (more) => insufficient('Bearer', [...new Set([...scopes, ...more])]),
  };
}

/** The refusal when no more tokens of this caller may be verified. */
const TOO_MANY: Denial = {
  status: 429,
  message: 'Too many tokens that are not valid came from this address: try again in a minute',
  headers: { 'retry-after': '60' },
};
/** The refusal when a token could not be verified. Status 401 would make the client discard a token that may be valid. */
const UNVERIFIABLE: Denial = {
  status: 503,
  message: 'Tokens cannot be verified at the moment: try again later',
  headers: { 'retry-after': '5' },
};

/** Different issuers may use the same subject for different users, and a client id could be equal to a subject. */
function principalId({ issuer, subject, clientId }: TokenInfo): string | undefined {
  // An empty subject counts as missing; a blank one is invalid.
  if (subject !== undefined && subject !== '') return isPrincipalId(subject) ? `${issuer}|${subject}` : undefined;
  return isPrincipalId(clientId) ? `${issuer}|client|${clientId}` : undefined;
}
