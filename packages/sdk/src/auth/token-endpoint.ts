import * as oauth from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { reasonOf, shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import { tokenAnswer } from './documents/read-answer.ts';
import type { DpopProofs } from './dpop.ts';
import { scopesIn } from './grammar.ts';
import type { Grant } from './tokens.ts';
import type { Web } from './web.ts';

/** A client and its authentication at the token endpoint. */
export interface ClientIdentity {
  readonly id: string;
  readonly auth: oauth.ClientAuth;
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

type Send = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>;
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
  const ask = async (): Promise<oauth.TokenEndpointResponse> => process(await tokenAnswer(await send(options)));
  try {
    const answer = await ask().catch((error: unknown) => {
      // RFC 9449, section 8.
      if (proofs !== undefined && error instanceof AuthError && error.oauthError === 'use_dpop_nonce') return ask();
      throw error;
    });
    return grantOf(as, client, answer, proofs);
  } catch (error) {
    throw tokenError(error);
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

/**
 * The method to use for a client that has a secret, or that is about to register itself. A secret usually belongs to a client that was registered
 * for `client_secret_basic`, the default (RFC 7591). A client that registers itself chooses: no secret if the server allows that, otherwise the
 * first method that the server lists, because it may support the others less well. A server without a list supports `client_secret_basic`
 * (RFC 8414).
 */
export function methodFor(as: oauth.AuthorizationServer, hasSecret: boolean): string {
  const accepted = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (hasSecret)
    return AUTH_METHODS.find((method) => method !== 'none' && accepted.includes(method)) ?? 'client_secret_basic';
  return accepted.includes('none') ? 'none' : (accepted.find((method) => AUTH_METHODS.includes(method)) ?? 'none');
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
