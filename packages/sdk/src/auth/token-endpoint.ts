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
  /** The client in the options of the program, if it was registered in advance. The method that works is remembered for it. */
  readonly preregistered?: object | undefined;
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
    const { answer, method } = await authenticate(client, (auth) =>
      ask(auth).catch((error: unknown) => {
        // RFC 9449, section 8.
        if (proofs !== undefined && oauthErrorOf(error) === 'use_dpop_nonce') return ask(auth);
        throw error;
      }),
    );
    const grant = grantOf(as, client, answer, proofs);
    return client.preregistered === undefined ? grant : { ...grant, clientAuth: method };
  } catch (error) {
    throw tokenError(error);
  }
}

/** The code of the error that an authorization server answered with. */
function oauthErrorOf(error: unknown): string | undefined {
  if (error instanceof oauth.ResponseBodyError) return error.error;
  return error instanceof AuthError ? error.oauthError : undefined;
}

/** The errors of servers that do not accept the authentication of a client. Not all send `invalid_client` (RFC 6749, section 5.2). */
const REFUSED_CLIENT: ReadonlySet<string | undefined> = new Set([
  'invalid_client',
  'unauthorized_client',
  'invalid_request',
  'access_denied',
]);

/** The methods that worked for clients with a secret that were registered in advance. A stored login has its own. */
const WORKING_METHODS = new WeakMap<object, string>();

/**
 * Sends a request with one method of client authentication after the other, until the server accepts one. Rejects with the first error if it
 * refuses all of them.
 */
export async function authenticate<T>(
  { methods, preregistered }: ClientIdentity,
  send: (auth: oauth.ClientAuth) => Promise<T>,
): Promise<{ readonly answer: T; readonly method: string }> {
  let refusal: unknown;
  for (const { name: method, auth } of methods) {
    try {
      const answer = await send(auth);
      if (preregistered !== undefined) WORKING_METHODS.set(preregistered, method);
      return { answer, method };
    } catch (error) {
      const oauthError = oauthErrorOf(error);
      if (REFUSED_CLIENT.has(oauthError)) {
        refusal ??= error;
        continue;
      }
      // Another error of the server is about the request: it has accepted the client.
      if (preregistered !== undefined && oauthError !== undefined) WORKING_METHODS.set(preregistered, method);
      throw error;
    }
  }
  throw refusal;
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

/** A client that was registered in advance. */
interface PreregisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
}

/**
 * The identity of a client that was registered in advance: usually for `client_secret_basic`, the default (RFC 7591). `worked`: the method that
 * worked earlier, if this process does not know one.
 */
export function preregisteredIdentity(
  as: oauth.AuthorizationServer,
  preregistered: PreregisteredClient,
  worked?: string,
): ClientIdentity {
  const { id, secret } = preregistered;
  const methodNamed = (name: string): ClientAuthMethod => ({ name, auth: clientAuthOf(name, secret) });
  if (secret === undefined) return { id, methods: [methodNamed('none')] };
  const accepted = as.token_endpoint_auth_methods_supported ?? SECRET_METHODS;
  const names = SECRET_METHODS.filter((name) => accepted.includes(name));
  const known = WORKING_METHODS.get(preregistered) ?? worked;
  const [first = 'client_secret_basic', ...others] = [
    ...names.filter((name) => name === known),
    ...names.filter((name) => name !== known),
  ];
  return { id, methods: [methodNamed(first), ...others.map(methodNamed)], preregistered };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** RFC 6749, section 2.3.1. Many servers do not decode it, so characters are only encoded where necessary. */
function basic(secret: string): oauth.ClientAuth {
  return (_as, client, _body, headers) =>
    headers.set('authorization', `Basic ${btoa(`${formEncoded(client.client_id)}:${formEncoded(secret)}`)}`);
}

/** RFC 6749, section 2.3.1. The function of oauth4webapi refuses an empty secret. */
function post(secret: string): oauth.ClientAuth {
  return (_as, client, body) => {
    body.set('client_id', client.client_id);
    body.set('client_secret', secret);
  };
}

export function clientAuthOf(method: string, secret: string | undefined): oauth.ClientAuth {
  return secret === undefined || method === 'none'
    ? oauth.None()
    : method === 'client_secret_post'
      ? post(secret)
      : basic(secret);
}
