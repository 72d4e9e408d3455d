import * as oauth from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { reasonOf, shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import { tokenAnswer } from './documents/read-answer.ts';
import type { DpopProofs } from './dpop.ts';
import { scopesIn } from './grammar.ts';
import type { Grant } from './tokens.ts';
import type { Web } from './web.ts';

/** A method of client authentication at the token endpoint. */
export interface ClientAuthMethod {
  /** `client_secret_basic`, for example. */
  readonly name: string;
  readonly auth: oauth.ClientAuth;
}

/** A client and its authentication at the token endpoint. */
export interface ClientIdentity {
  readonly id: string;
  /** The methods that the client may be registered for, at least one. They are tried in this order. */
  readonly methods: readonly [ClientAuthMethod, ...ClientAuthMethod[]];
}

/** The data that requests to the token endpoint of an authorization server need. */
export interface TokenEndpoint {
  readonly as: oauth.AuthorizationServer;
  readonly web: Web;
  readonly resource: string | undefined;
  readonly proofs: DpopProofs | undefined;
}

/** How long before its expiry a token is no longer used, in milliseconds. */
export const SKEW_MS = 30_000;

/** Converts an error of oauth4webapi or of `fetch`. */
export function tokenError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const message = error instanceof Error ? reasonOf(error) : 'unknown reason';
  return new AuthError('invalid-response', 'token', `No token could be obtained: ${shown(message, 200)}`);
}

type Send = (auth: oauth.ClientAuth, options: oauth.TokenEndpointRequestOptions) => Promise<Response>;
type ReadResponse = (response: Response) => Promise<oauth.TokenEndpointResponse>;

/** Requests a token; a second time if the server requires its nonce in the proof. `parameters`: more parameters of the request. */
export async function requestTokens(
  { as, web, resource, proofs }: TokenEndpoint,
  client: ClientIdentity,
  send: Send,
  process: ReadResponse,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Grant> {
  const options: oauth.TokenEndpointRequestOptions = {
    [oauth.customFetch]: web.fetch as never,
    [oauth.allowInsecureRequests]: web.guard.loopback,
    additionalParameters: resource === undefined ? parameters : { ...parameters, resource },
    DPoP: proofs?.handle,
  };
  const ask = async (auth: oauth.ClientAuth): Promise<oauth.TokenEndpointResponse> =>
    process(await tokenAnswer(await send(auth, options)));
  try {
    const { answer, method } = await authenticate(client.methods, (auth) =>
      ask(auth).catch((error: unknown) => {
        // RFC 9449, section 8.
        if (proofs !== undefined && oauthErrorOf(error) === 'use_dpop_nonce') return ask(auth);
        throw error;
      }),
    );
    const grant = grantOf(as, client, answer, proofs);
    return client.methods.length === 1 ? grant : { ...grant, clientAuth: method };
  } catch (error) {
    throw tokenError(error);
  }
}

function oauthErrorOf(error: unknown): string | undefined {
  return error instanceof AuthError ? error.oauthError : undefined;
}

/** The errors of servers that do not accept the authentication of a client. Not all send `invalid_client` (RFC 6749, section 5.2). */
const REFUSED_CLIENT: ReadonlySet<string | undefined> = new Set([
  'invalid_client',
  'unauthorized_client',
  'invalid_request',
  'access_denied',
]);

/**
 * Sends a request with the first method of client authentication that the server does not refuse. Rejects with the first error: a later one may
 * only say that the authorization code was used.
 */
export async function authenticate<T>(
  [first, ...others]: ClientIdentity['methods'],
  send: (auth: oauth.ClientAuth) => Promise<T>,
): Promise<{ readonly answer: T; readonly method: string }> {
  try {
    return { answer: await send(first.auth), method: first.name };
  } catch (error) {
    if (!REFUSED_CLIENT.has(oauthErrorOf(error))) throw error;
    for (const { name, auth } of others) {
      const answer = await send(auth).catch(() => undefined);
      if (answer !== undefined) return { answer, method: name };
    }
    throw error;
  }
}

/** The credentials in a parsed token response. */
function grantOf(
  as: oauth.AuthorizationServer,
  client: ClientIdentity,
  answer: oauth.TokenEndpointResponse,
  proofs: DpopProofs | undefined,
): Grant {
  const { access_token, token_type, expires_in, refresh_token, scope } = answer;
  const bound = token_type.toLowerCase() === 'dpop';
  if (bound && proofs === undefined)
    throw new AuthError('invalid-response', 'token', 'The token endpoint bound the token to a key, but was sent none');
  return withoutUndefined({
    issuer: as.issuer,
    clientId: client.id || undefined,
    accessToken: access_token,
    tokenType: bound ? 'DPoP' : 'Bearer',
    expiresAt: expires_in === undefined ? undefined : expiryOf(expires_in),
    refreshToken: refresh_token,
    scope: scope === undefined ? undefined : scopesIn(scope).join(' '),
    subject: oauth.getValidatedIdTokenClaims(answer)?.sub,
    dpopKey: bound ? proofs?.jwk : undefined,
  });
}

/** The expiry of a token that is valid for `seconds`, in milliseconds since 1970. The syntax of lifetimes keeps it exact. */
export function expiryOf(seconds: number): number {
  return Date.now() + seconds * 1_000;
}

/** The methods of client authentication that need no key, the simplest first. */
export const AUTH_METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post'];
const SECRET_METHODS = AUTH_METHODS.slice(1);

/**
 * The method for a client that is about to register itself: no secret if the server allows that, otherwise the first method that the server lists,
 * because it may support the others less well. A server without a list supports `client_secret_basic` (RFC 8414).
 */
export function registrationMethod(as: oauth.AuthorizationServer): string {
  const accepted = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return accepted.includes('none') ? 'none' : (accepted.find((method) => AUTH_METHODS.includes(method)) ?? 'none');
}

/**
 * The methods that a client may be registered for if it was registered in advance: usually `client_secret_basic`, the default (RFC 7591).
 * `worked`: the method that worked before.
 */
export function methodsFor(
  as: oauth.AuthorizationServer,
  secret: string | undefined,
  worked?: string,
): ClientIdentity['methods'] {
  const methodNamed = (name: string): ClientAuthMethod => ({ name, auth: clientAuthOf(name, secret) });
  if (secret === undefined) return [methodNamed('none')];
  const accepted = as.token_endpoint_auth_methods_supported ?? SECRET_METHODS;
  const names = SECRET_METHODS.filter((name) => accepted.includes(name));
  const [first = 'client_secret_basic', ...others] = [
    ...names.filter((name) => name === worked),
    ...names.filter((name) => name !== worked),
  ];
  return [methodNamed(first), ...others.map(methodNamed)];
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** RFC 6749, section 2.3.1. Many servers do not decode it, so characters are only encoded where necessary. */
function basic(secret: string): oauth.ClientAuth {
  return (_as, client, _body, headers) =>
    headers.set('authorization', `Basic ${btoa(`${formEncoded(client.client_id)}:${formEncoded(secret)}`)}`);
}

export function clientAuthOf(method: string, secret: string | undefined): oauth.ClientAuth {
  return secret === undefined || method === 'none'
    ? oauth.None()
    : method === 'client_secret_post'
      ? oauth.ClientSecretPost(secret)
      : basic(secret);
}
