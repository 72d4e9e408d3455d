import * as oauth from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { shown } from '../protocol/text.ts';
import type { Proofs } from './dpop.ts';
import { isAccessToken, isVisibleText, scopesIn } from './grammar.ts';
import type { Grant } from './tokens.ts';
import type { Web } from './web.ts';

/** How a client shows at the token endpoint who it is. */
export interface ClientIdentity {
  readonly id: string;
  readonly auth: oauth.ClientAuth;
}

/** One authorization server, as this client talks to it. */
export interface TokenEndpoint {
  readonly as: oauth.AuthorizationServer;
  readonly web: Web;
  readonly resource: string | undefined;
  readonly proofs: Proofs | undefined;
}

/** How long before its end a token is not used any more, in milliseconds. */
export const SKEW_MS = 30_000;

/** What oauth4webapi throws, as an error of ours. What the server wrote is shown, except where its origin is in doubt. */
export const tokenError = (error: unknown): AuthError => {
  if (error instanceof AuthError) return error;
  if (error instanceof oauth.ResponseBodyError) {
    const more = error.error_description === undefined ? '' : `: ${shown(error.error_description, 200)}`;
    return new AuthError('token', `The authorization server refused: ${shown(error.error, 60)}${more}`, {
      code: error.error,
    });
  }
  const message = error instanceof Error ? shown(error.message, 200) : 'unknown reason';
  return new AuthError('token', `The token could not be had: ${message}`);
};

type Send = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>;
type Process = (response: Response) => Promise<oauth.TokenEndpointResponse>;

/** Asks for a token; a second time if the server wants its nonce in the proof. */
export const requestTokens = async (
  { as, web, resource, proofs }: TokenEndpoint,
  client: ClientIdentity,
  send: Send,
  process: Process,
): Promise<Grant> => {
  const options: oauth.TokenEndpointRequestOptions = {
    [oauth.customFetch]: web.fetch as never,
    [oauth.allowInsecureRequests]: web.guard.loopback,
    ...(resource === undefined ? {} : { additionalParameters: { resource } }),
    ...(proofs === undefined ? {} : { DPoP: proofs.handle }),
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
};

/** Tokens are validated before they are used or stored: one that no header can carry would fail every request. */
const grantOf = (
  as: oauth.AuthorizationServer,
  client: ClientIdentity,
  { access_token, token_type, expires_in, refresh_token, scope }: oauth.TokenEndpointResponse,
  proofs: Proofs | undefined,
): Grant => {
  if (!isAccessToken(access_token)) throw badToken('an access token');
  if (refresh_token !== undefined && !isVisibleText(refresh_token)) throw badToken('a refresh token');
  const bound = token_type.toLowerCase() === 'dpop';
  return {
    issuer: as.issuer,
    ...(client.id === '' ? {} : { clientId: client.id }),
    accessToken: access_token,
    tokenType: bound ? 'DPoP' : 'Bearer',
    ...(expires_in === undefined ? {} : { expiresAt: expiryOf(expires_in) }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(scope === undefined ? {} : { scope: scopesIn(scope).join(' ') }),
    ...(bound && proofs !== undefined ? { dpopKey: proofs.jwk } : {}),
  };
};

/** When a token expires that is valid for so many seconds. It is stored as JSON, which has no infinity. */
export function expiryOf(seconds: number): number {
  return Math.min(Date.now() + seconds * 1_000, Number.MAX_SAFE_INTEGER);
}

/** Does not repeat the token. */
function badToken(what: string): AuthError {
  return new AuthError('token', `The authorization server gave ${what} with characters that no token may have`);
}

/** The ways to show who the client is that this client can do, the least first. */
const METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** The way that a server takes, for a client with or without a secret. RFC 8414: without a list it is `client_secret_basic`. */
export const methodFor = (as: oauth.AuthorizationServer, hasSecret: boolean): string => {
  const known: readonly string[] = METHODS;
  const taken = (as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']).filter((method) =>
    known.includes(method),
  );
  const fitting = taken.filter((method) => (hasSecret ? method.startsWith('client_secret') : true));
  return known.find((method) => fitting.includes(method)) ?? (hasSecret ? 'client_secret_basic' : 'none');
};

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** RFC 6749, section 2.3.1. Many servers do not decode it: what needs no encoding gets none. */
export const basic =
  (secret: string): oauth.ClientAuth =>
  (_as, client, _body, headers) =>
    headers.set('authorization', `Basic ${btoa(`${formEncoded(client.client_id)}:${formEncoded(secret)}`)}`);

export const clientAuthOf = (method: string, secret: string | undefined): oauth.ClientAuth =>
  secret === undefined || method === 'none'
    ? oauth.None()
    : method === 'client_secret_post'
      ? oauth.ClientSecretPost(secret)
      : basic(secret);
