import type { Principal } from 'tenon';
import { AuthError, type Gatekeeper, type PageAnswer, type PageRequest, protectedResource } from 'tenon/auth';
import { errorResponse, OAuthError, PageError, problemPage } from './responses.ts';
import { Clients } from './clients.ts';
import { Grants } from './grants.ts';
import { Logins } from './logins.ts';
import { allScopesOf, type OAuthProxyOptions } from './options.ts';
import { Provider } from './provider.ts';
import { createVault } from './vault.ts';

/**
 * A gatekeeper that protects a server, with an authorization server in front of an identity provider. Pass it to `serveHttp`, `nodeHandler`
 * or `serveFetch` as `auth`.
 */
export interface OAuthProxy extends Gatekeeper {
  /**
   * Resolves with an access token of the provider for the calling user (`ctx.principal`), for requests of a tool on their behalf. It is
   * refreshed when needed. Undefined if the login has ended: the user has to log in again.
   */
  upstream(principal: Principal): Promise<string | undefined>;
}

type PageHandler = (request: PageRequest) => Promise<PageAnswer>;

/** Web pages of other origins may register and request tokens: these requests use no cookies. */
const preflight: PageHandler = () =>
  Promise.resolve({
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version',
      'access-control-max-age': '3600',
    },
  });

/**
 * Protects a server by an identity provider that does not support client registration, such as GitHub or Google. Programs register with
 * this server instead. Their users are asked for consent and log in at the provider, and the program gets a token of this server, never one
 * of the provider (Security Best Practices, "Confused Deputy Problem" and "Token Passthrough"). At the provider, `/callback` at the origin
 * of `resource` has to be registered as the redirect URI.
 *
 * Throws a `TypeError` for a key of less than 32 characters, an incomplete `provider`, and a `resource` that is neither https nor on this
 * machine.
 *
 * @example
 * ```ts
 * import { oauthProxy } from '@tenon/auth-proxy';
 * import { server, tool } from 'tenon';
 * import { memoryStore } from 'tenon/http';
 * import { serveHttp } from 'tenon/node';
 *
 * const app = server({
 *   name: 'notes',
 *   version: '1.0.0',
 *   tools: { whoami: tool({}, (_, { principal }) => principal?.id ?? 'unknown') },
 * });
 * const auth = oauthProxy({
 *   resource: 'https://mcp.example.com/mcp',
 *   provider: {
 *     issuer: 'https://accounts.google.com',
 *     client: { id: process.env['GOOGLE_ID'] ?? '', secret: process.env['GOOGLE_SECRET'] ?? '' },
 *     scopes: ['openid', 'email'],
 *     // Without these Google gives no refresh token, and a login ends after an hour.
 *     params: { access_type: 'offline', prompt: 'consent' },
 *   },
 *   keys: [process.env['KEY'] ?? ''],
 *   // Several nodes, or a restart, need a store that outlives the process.
 *   store: memoryStore(),
 * });
 * await serveHttp(app, { auth, allowedHosts: ['mcp.example.com'] });
 * ```
 */
export function oauthProxy(options: OAuthProxyOptions): OAuthProxy {
  const { resource, keys, store, scopes = [], name } = options;
  const scopesSupported = allScopesOf(options);
  const { origin: issuer } = new URL(resource);
  const { issuer: provided, tokenEndpoint, client } = options.provider;
  const vault = createVault(store, keys, JSON.stringify([resource, provided ?? tokenEndpoint ?? '', client.id]));
  const clients = new Clients(vault, options);
  const provider = new Provider(options, `${issuer}/callback`);
  const grants = new Grants(resource, vault, clients, provider);
  const logins = new Logins({ proxy: options, issuer, vault, clients, provider, grants });
  const gatekeeper = protectedResource({
    resource,
    authorizationServers: [issuer],
    scopes,
    scopesSupported,
    name,
    async verify(token) {
      const access = await grants.read(token);
      if (access === undefined) return undefined;
      const { subject, clientId, claims, grant } = access;
      return { issuer, subject, clientId, scopes: access.scopes, claims: { ...claims, grant } };
    },
  });
  const metadata = JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    scopes_supported: scopesSupported.length === 0 ? undefined : scopesSupported,
  });
  const pages: ReadonlyMap<string, PageHandler> = new Map([
    ['GET /authorize', (request) => logins.authorize(request)],
    ['POST /consent', (request) => logins.consent(request)],
    ['GET /callback', (request) => logins.callback(request)],
    ['POST /register', (request) => clients.register(request)],
    ['POST /token', (request) => grants.token(request)],
    ['POST /revoke', (request) => grants.revoke(request)],
    ...['register', 'token', 'revoke'].map((path) => [`OPTIONS /${path}`, preflight] as const),
  ]);
  return {
    ...gatekeeper,
    document: (path) => (path === '/.well-known/oauth-authorization-server' ? metadata : gatekeeper.document(path)),
    page(request) {
      const act = pages.get(`${request.method} ${request.path}`);
      return act?.(request).catch((error: unknown) => {
        if (error instanceof PageError) return problemPage(error.message);
        if (error instanceof OAuthError) return errorResponse(error);
        // The provider cannot be reached, or its answer cannot be read.
        if (error instanceof AuthError)
          return errorResponse(
            new OAuthError('temporarily_unavailable', 'The provider does not answer at the moment', 503, {
              cause: error,
            }),
          );
        throw error;
      });
    },
    upstream: async ({ claims }) => {
      const grant = claims?.['grant'];
      return typeof grant === 'string' ? grants.upstream(grant) : undefined;
    },
  };
}
