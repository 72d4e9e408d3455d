import * as oauth from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import type { DpopProofs } from './dpop.ts';
import { isAccessToken, isVisibleText, scopesIn } from './grammar.ts';
import type { Grant } from './tokens.ts';
import type { Web } from './web.ts';

/** A client and its authentication at the token endpoint. */
export interface ClientIdentity {
  readonly id: string;
  readonly auth: oauth.ClientAuth;
}

/** What requests to the token endpoint of an authorization server need. */
export interface TokenEndpoint {
  readonly as: oauth.AuthorizationServer;
  readonly web: Web;
  readonly resource: string | undefined;
  readonly proofs: DpopProofs | undefined;
}

/** How long before its expiry a token is no longer used, in milliseconds. */
export const SKEW_MS = 30_000;

/** Converts an error of oauth4webapi. Texts of the server are only shown if they certainly come from it. */
export function tokenError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  if (error instanceof oauth.ResponseBodyError) {
    const more = error.error_description === undefined ? '' : `: ${shown(error.error_description, 200)}`;
    return new AuthError('refused', 'token', `The authorization server refused: ${shown(error.error, 60)}${more}`, {
      oauthError: error.error,
    });
  }
  const message = error instanceof Error ? shown(error.message, 200) : 'unknown reason';
  return new AuthError('invalid-response', 'token', `No token could be obtained: ${message}`);
}

type Send = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>;
type ReadResponse = (response: Response) => Promise<oauth.TokenEndpointResponse>;

/** Requests a token; a second time if the server requires its nonce in the proof. */
export async function requestTokens(
  { as, web, resource, proofs }: TokenEndpoint,
  client: ClientIdentity,
  send: Send,
  process: ReadResponse,
): Promise<Grant> {
  const options: oauth.TokenEndpointRequestOptions = {
    [oauth.customFetch]: web.fetch as never,
    [oauth.allowInsecureRequests]: web.guard.loopback,
    additionalParameters: resource === undefined ? undefined : { resource },
    DPoP: proofs?.handle,
  };
  const ask = async (): Promise<oauth.TokenEndpointResponse> => process(await send(options));
  try {
    const answer = await ask().catch((error: unknown) => {
      if (proofs !== undefined && oauth.isDPoPNonceError(error)) return ask();
      throw error;
    });
    return grantOf(as, client, answer, proofs);
  } catch (error) {
    throw tokenError(error);
  }
}

/** Validates tokens before they are used or stored: one that is invalid in a header would make every request fail. */
function grantOf(
  as: oauth.AuthorizationServer,
  client: ClientIdentity,
  { access_token, token_type, expires_in, refresh_token, scope }: oauth.TokenEndpointResponse,
  proofs: DpopProofs | undefined,
): Grant {
  if (!isAccessToken(access_token)) throw badToken('an access token');
  if (refresh_token !== undefined && !isVisibleText(refresh_token)) throw badToken('a refresh token');
  const bound = token_type.toLowerCase() === 'dpop';
  return withoutUndefined({
    issuer: as.issuer,
    clientId: client.id || undefined,
    accessToken: access_token,
    tokenType: bound ? 'DPoP' : 'Bearer',
    expiresAt: expires_in === undefined ? undefined : expiryOf(expires_in),
    refreshToken: refresh_token,
    scope: scope === undefined ? undefined : scopesIn(scope).join(' '),
    dpopKey: bound ? proofs?.jwk : undefined,
  });
}

/** When a token expires that is valid for `seconds`, in milliseconds since 1970. Always finite, because it is stored as JSON. */
export function expiryOf(seconds: number): number {
  return Math.min(Date.now() + seconds * 1_000, Number.MAX_SAFE_INTEGER);
}

/** The error for an invalid token. Does not contain the token. */
function badToken(what: string): AuthError {
  return new AuthError('invalid-response', 'token', `The authorization server gave ${what} with invalid characters`);
}

/** The supported methods of client authentication, the simplest first. */
const METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** The method to use for a client with or without a secret. RFC 8414: a server without a list supports `client_secret_basic`. */
export function methodFor(as: oauth.AuthorizationServer, hasSecret: boolean): string {
  const known: readonly string[] = METHODS;
  const accepted = (as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']).filter((method) =>
    known.includes(method),
  );
  const usable = accepted.filter((method) => (hasSecret ? method.startsWith('client_secret') : true));
  return known.find((method) => usable.includes(method)) ?? (hasSecret ? 'client_secret_basic' : 'none');
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** RFC 6749, section 2.3.1. Many servers do not decode it, so characters are only encoded where necessary. */
export function basic(secret: string): oauth.ClientAuth {
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
