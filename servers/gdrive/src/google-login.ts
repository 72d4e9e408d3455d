// Logins at Google and their refresh, by the OAuth client of the SDK. Google's flow for devices does not allow the scope for reading files
// ("OAuth 2.0 for TV and Limited-Input Device Applications", Allowed scopes), so it is the flow of desktop apps: a redirect to this machine,
// with PKCE.
import { ToolError } from 'tenon';
import type { Browser } from 'tenon/auth';
import { type Google, SCOPE } from './google.ts';
import type { Credentials, Keys } from './login-files.ts';

/** Requests tokens from Google for an app. Errors are `AuthError`s of the SDK. */
export interface GoogleLogin {
  /** Takes the user through the login. */
  logIn(browser: Browser): Promise<Credentials>;
  /** Exchanges the refresh token for a new access token. */
  refresh(credentials: Credentials): Promise<Credentials>;
}

const ISSUER = 'https://accounts.google.com';
const NO_BROWSER: Browser = {
  open: () => {
    throw new Error('A refresh needs no browser');
  },
};

/** Makes the requests for an app. Loads the OAuth client. */
export async function createGoogleLogin(google: Google, keys: Keys): Promise<GoogleLogin> {
  const { createUrlGuard, createWeb, userSource } = await import('tenon/internal/auth');
  const page = new URL(google.loginPage);
  // With a refresh token, also for apps that ask a second time.
  page.searchParams.set('access_type', 'offline');
  page.searchParams.set('prompt', 'consent');
  const as = {
    issuer: ISSUER,
    authorization_endpoint: page.href,
    token_endpoint: google.tokenEndpoint,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
  const web = createWeb(createUrlGuard(new URL(google.tokenEndpoint), true), (input, init) => fetch(input, init));
  // Google refuses the parameter `resource`.
  const request = { as, web, resource: undefined, proofs: undefined, grant: undefined };
  const client = { id: keys.client_id, secret: keys.client_secret, issuer: ISSUER };
  const sourceFor = (browser: Browser) => userSource(browser, { client, metadataUrl: undefined, name: 'Tenon' });
  return {
    async logIn(browser) {
      const grant = await sourceFor(browser).obtain(request, [SCOPE]);
      // The user may log in, and yet not agree to each scope.
      if (grant.scope?.split(' ').includes(SCOPE) !== true)
        throw new ToolError('The user logged in to Google, but did not allow this app to see the files of Drive.');
      return {
        access_token: grant.accessToken,
        refresh_token: grant.refreshToken,
        scope: grant.scope,
        token_type: 'Bearer',
        expiry_date: grant.expiresAt,
      };
    },
    async refresh(credentials) {
      const refreshToken = credentials.refresh_token ?? '';
      const grant = await sourceFor(NO_BROWSER).refresh(request, { issuer: ISSUER, refreshToken });
      return {
        ...credentials,
        access_token: grant.accessToken,
        refresh_token: grant.refreshToken,
        expiry_date: grant.expiresAt,
      };
    },
  };
}
