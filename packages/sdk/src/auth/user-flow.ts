import * as oauth from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import type { Browser } from './browser.ts';
import { sourceOf } from './documents/read-answer.ts';
import { redirectAnswer } from './documents/read-parameters.ts';
import { grantKey } from './grant-store.ts';
import { getClient, findClient, type KnownClient, type RegistrationOptions } from './registration.ts';
import type { TokenRequest, TokenSource } from './token-source.ts';
import { authenticate, requestTokens } from './token-endpoint.ts';
import type { Grant } from './tokens.ts';

/** S256 makes an authorization code useless to others who read it (OAuth 2.1, section 7.5). */
function requireS256({ issuer, code_challenge_methods_supported: methods }: oauth.AuthorizationServer): void {
  if (methods?.includes('S256') === true) return;
  throw new AuthError(
    'no-pkce',
    'authorization',
    `The authorization server ${shown(issuer, 100)} does not say that it supports PKCE with S256`,
  );
}

const ANSWER = 'The answer to the login';

/**
 * Reads the redirect URL of a login: it has to be from this authorization server, and for this login. Throws an `AuthError`, whose message
 * contains no text of an unverified sender.
 */
function readRedirect(
  as: oauth.AuthorizationServer,
  clientId: string,
  address: string,
  state: string,
): URLSearchParams {
  const source = sourceOf(ANSWER, 'authorization');
  if (!URL.canParse(address)) throw source.refuse(`${ANSWER} is not a URL`);
  const answer = redirectAnswer(new URL(address).search.slice(1), source);
  try {
    return oauth.validateAuthResponse(as, { client_id: clientId }, answer, state);
  } catch (error) {
    throw answerError(error);
  }
}

/** The error for an authorization response that is invalid or denies access. */
function answerError(error: unknown): AuthError {
  if (error instanceof oauth.AuthorizationResponseError) {
    const more = error.error_description === undefined ? '' : `: ${shown(error.error_description, 200)}`;
    return new AuthError('refused', 'authorization', `The login was refused: ${shown(error.error, 60)}${more}`, {
      oauthError: error.error,
    });
  }
  return new AuthError(
    'invalid-response',
    'authorization',
    `${ANSWER} is invalid: ${shown((error as Error).message, 200)}`,
  );
}

function scopeOf({ as }: TokenRequest, scopes: readonly string[]): string | undefined {
  // Requested only if the authorization server supports it ("Refresh Tokens").
  const offline = as.scopes_supported?.includes('offline_access') === true ? ['offline_access'] : [];
  const all = [...new Set([...scopes, ...offline])];
  return all.length === 0 ? undefined : all.join(' ');
}

/** A client that was registered in advance has tokens of its own. */
function ownerOf(client: KnownClient | undefined): string {
  return client === undefined ? '' : `as ${client.id}`;
}

/** The key of a user's login at a server, whose URL has no hash, in a token store. */
export function userGrantKey(server: string, client: KnownClient | undefined): string {
  return grantKey(server, ownerOf(client));
}

/** Tokens of a user, who logs in at the authorization server: the authorization code flow (OAuth 2.1, section 4.1). */
export function userSource(browser: Browser, options: Omit<RegistrationOptions, 'redirectUri'>): TokenSource {
  return {
    owner: ownerOf(options.client),
    canRefresh: true,
    asksUser: true,
    async obtain(ask, scopes) {
      const { as, web, resource, proofs } = ask;
      requireS256(as);
      const endpoint = as.authorization_endpoint;
      if (endpoint === undefined)
        throw new AuthError('no-metadata', 'discovery', 'The authorization server has no login page');
      const openBrowser = await browser.open(ask.isClientKnown === true ? ask.grant?.redirectUri : undefined);
      try {
        const { redirectUri } = openBrowser;
        const client = await getClient(as, { ...options, redirectUri }, ask.grant, web);
        const verifier = oauth.generateRandomCodeVerifier();
        const state = oauth.generateRandomState();
        const scope = scopeOf(ask, scopes);
        const url = web.guard.check(endpoint, 'The login page', 'authorization');
        const params = {
          response_type: 'code',
          client_id: client.id,
          redirect_uri: redirectUri,
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          scope,
          resource,
          dpop_jkt: proofs?.thumbprint,
          prompt: scope?.split(' ').includes('offline_access') === true ? 'consent' : undefined,
        };
        for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
        const answer = readRedirect(as, client.id, String(await openBrowser.authorize(url)), state);
        const grant = await requestTokens(
          ask,
          client,
          (auth, how) =>
            oauth.authorizationCodeGrantRequest(as, { client_id: client.id }, auth, answer, redirectUri, verifier, how),
          (response) => oauth.processAuthorizationCodeResponse(as, { client_id: client.id }, response),
        );
        return withoutUndefined({ ...grant, ...client.stored, scope: grant.scope ?? scope });
      } finally {
        await openBrowser.close();
      }
    },
    async refresh(ask, grant): Promise<Grant> {
      const { as } = ask;
      const client = findClient(as, { ...options, redirectUri: grant.redirectUri ?? '' }, grant);
      // A refresh token is only valid for the client that it was issued to.
      if (client === undefined)
        throw new AuthError('refused', 'token', 'The client of the login is no longer known', {
          oauthError: 'invalid_client',
        });
      // The same scopes: without scopes, some servers refuse the request, or give a token for the client itself (RFC 6749, section 6).
      const scope: Record<string, string> = grant.scope ? { scope: grant.scope } : {};
      const fresh = await requestTokens(
        ask,
        client,
        (auth, how) => oauth.refreshTokenGrantRequest(as, { client_id: client.id }, auth, grant.refreshToken!, how),
        (response) => oauth.processRefreshTokenResponse(as, { client_id: client.id }, response),
        scope,
      );
      const { dpopKey, ...kept } = grant;
      return withoutUndefined({
        ...kept,
        ...fresh,
        dpopKey: fresh.tokenType === 'DPoP' ? (dpopKey ?? fresh.dpopKey) : undefined,
      });
    },
    async revoke({ as, web }, grant) {
      const token = grant.refreshToken ?? grant.accessToken;
      const client = findClient(as, { ...options, redirectUri: grant.redirectUri ?? '' }, grant);
      if (token === undefined || as.revocation_endpoint === undefined || client === undefined) return false;
      const how = {
        [oauth.customFetch]: web.fetch as never,
        [oauth.allowInsecureRequests]: web.guard.loopback,
        additionalParameters: { token_type_hint: grant.refreshToken === undefined ? 'access_token' : 'refresh_token' },
      };
      await authenticate(client, async (auth) =>
        oauth.processRevocationResponse(await oauth.revocationRequest(as, { client_id: client.id }, auth, token, how)),
      );
      return true;
    },
  };
}
