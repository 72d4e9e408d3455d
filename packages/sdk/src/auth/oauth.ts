import { createTokenManager, type OAuth } from './token-manager.ts';
import { machineSource } from './machine.ts';
import type { ClientKey } from './machine.ts';
import { checkClient, checkDocumentUrl, checkUserClient, type KnownClient, requireIssuer } from './registration.ts';
import { memoryTokens, type TokenStore } from './tokens.ts';
import type { Browser } from './browser.ts';
import { userSource } from './user-flow.ts';

/** Options of all credentials. */
export interface AuthOptions {
  /** Where tokens are stored. Default: in memory. */
  readonly store?: TokenStore;
  /** Scopes to request in addition to those that the server requires. Default: none. */
  readonly scopes?: readonly string[];
  /** Bind tokens to a key of this client if the authorization server supports it (DPoP, RFC 9449). Default true. */
  readonly dpop?: boolean;
  /** Sends requests to authorization servers. Default: on Node, only to addresses that the server may name; elsewhere `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
  /** Wraps the `fetch` that sends these requests, for example to record them: `wrapFetch` of a recording. Addresses are still checked. */
  readonly wrapFetch?: (send: typeof globalThis.fetch) => typeof globalThis.fetch;
}

/** Options of `oauth`. */
export interface OAuthOptions extends AuthOptions {
  /** Takes the user to the authorization server and back. */
  readonly browser: Browser;
  /** A client that was registered in advance. Without it the client registers itself. */
  readonly client?: KnownClient;
  /** The URL of a client ID metadata document, for authorization servers that support it: https, with a path. See `clientDocument`. */
  readonly metadataUrl?: string;
  /** The name of the client, which the authorization server shows to the user. Default `Tenon`. */
  readonly name?: string;
}

function tokenManager(source: Parameters<typeof createTokenManager>[0]['source'], options: AuthOptions): OAuth {
  return createTokenManager({
    source,
    store: options.store ?? memoryTokens(),
    scopes: options.scopes ?? [],
    dpop: options.dpop ?? true,
    fetch: options.fetch,
    wrapFetch: options.wrapFetch,
  });
}

/**
 * Credentials of a user, who logs in with a browser when a server asks for a token (OAuth 2.1, section 4.1: authorization code with PKCE;
 * page "Authorization" of the specification). Access tokens are refreshed 30 seconds before they expire. When a server wants more scopes,
 * the user logs in again. One `oauth` may serve many connections.
 *
 * Throws a `TypeError` for a `client` that has a `secret` and no `issuer`, for an `id` or `secret` with characters other than visible
 * ASCII, and for a `metadataUrl` that is not https or has no path. A login that fails rejects the request with a `ConnectionError`, whose
 * `cause` is an `AuthError`.
 *
 * @example
 * ```ts
 * import { fileTokens, loopback, oauth } from 'tenon/auth';
 * import { connect } from 'tenon/client';
 *
 * const auth = oauth({ browser: loopback(), store: fileTokens('tokens.json'), name: 'My editor' });
 * await using client = await connect('https://mcp.example.com/mcp', { auth });
 * ```
 */
export function oauth(options: OAuthOptions): OAuth {
  const { client, metadataUrl, name = 'Tenon' } = options;
  if (metadataUrl !== undefined) checkDocumentUrl(metadataUrl);
  if (client !== undefined) checkUserClient(client);
  return tokenManager(userSource(options.browser, { client, metadataUrl, name }), options);
}

/** Options of `clientCredentials`. */
export interface MachineOptions extends AuthOptions {
  /**
   * The client of this program at the authorization server. It authenticates with its `key`, or else with its `secret`. `issuer` is
   * required.
   */
  readonly client: KnownClient & {
    /** The key with which the program signs a JWT (`private_key_jwt`, RFC 7523, section 2.2) in place of sending a `secret`. */
    readonly key?: ClientKey;
  };
}

/**
 * Credentials of a program that acts for itself, without a user (client credentials: RFC 6749, section 4.4). It authenticates with a
 * secret, or with a JWT that it signs with a private key (RFC 7523, section 2.2). Throws a `TypeError` without the `issuer` of the
 * authorization server, because a secret is sent to no other server, and for an `id` or `secret` with characters other than visible ASCII.
 *
 * @example
 * ```ts
 * import { clientCredentials } from 'tenon/auth';
 * import { connect } from 'tenon/client';
 *
 * const auth = clientCredentials({
 *   client: { id: 'nightly-report', secret: process.env['CLIENT_SECRET'] ?? '', issuer: 'https://as.example.com' },
 *   scopes: ['reports:read'],
 * });
 * await using client = await connect('https://mcp.example.com/mcp', { auth });
 * ```
 */
export function clientCredentials(options: MachineOptions): OAuth {
  const { client } = options;
  checkClient(client);
  requireIssuer(client.issuer, 'A client that acts for itself');
  return tokenManager(machineSource(client, { kind: 'credentials' }, client.issuer), options);
}

/** Options of `workloadIdentity`. */
export interface WorkloadOptions extends AuthOptions {
  /** The issuer of the authorization server that accepts the JWT. It is sent to no other. */
  readonly issuer: string;
  /** The client of this program at the authorization server. Default: the JWT alone identifies the program. */
  readonly client?: KnownClient;
  /** The JWT that the platform gives the program. A function is called for each new access token. */
  readonly assertion: string | (() => string | Promise<string>);
}

/**
 * Credentials for a JWT that the platform gives the program, such as a Kubernetes service account token (workload identity federation: RFC 7523,
 * section 2.1). `assertion` is called for each new access token. The JWT is sent only to the authorization server named by `issuer`. Throws a
 * `TypeError` without `issuer`.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { workloadIdentity } from 'tenon/auth';
 * import { connect } from 'tenon/client';
 *
 * const auth = workloadIdentity({
 *   issuer: 'https://as.example.com',
 *   assertion: () => readFile('/var/run/secrets/tokens/mcp', 'utf8'),
 * });
 * await using client = await connect('https://mcp.example.com/mcp', { auth });
 * ```
 */
export function workloadIdentity(options: WorkloadOptions): OAuth {
  const { issuer, client, assertion } = options;
  if (client !== undefined) checkClient(client);
  requireIssuer(issuer, 'An assertion');
  return tokenManager(machineSource(client, { kind: 'assertion', assertion }, issuer), options);
}

/** Options of `enterpriseManaged`. */
export interface EnterpriseOptions extends AuthOptions {
  /** The client of this program at the authorization server of the MCP server. `issuer` is required. */
  readonly client: KnownClient;
  /** The identity provider, which exchanges the ID token for a grant (RFC 8693). */
  readonly provider: {
    /** The issuer of the provider. */
    readonly issuer: string;
    /** The URL at which the provider exchanges tokens. */
    readonly tokenEndpoint: string;
    /** The client of this program at the provider. */
    readonly client: KnownClient;
    /** The ID token of the user, from the login at the provider. */
    readonly idToken: string | (() => string | Promise<string>);
  };
}

/**
 * Credentials that are controlled by the identity provider of an organization (the extension "Enterprise-Managed Authorization"). The
 * provider exchanges the ID token of the user for a grant (RFC 8693), and the authorization server of the MCP server issues an access token
 * for that grant. `client` identifies the program at the authorization server, `provider.client` at the provider. Throws a `TypeError`
 * without `client.issuer`.
 *
 * @example
 * ```ts
 * import { enterpriseManaged } from 'tenon/auth';
 * import { connect } from 'tenon/client';
 *
 * declare function idTokenOfUser(): Promise<string>;
 *
 * const auth = enterpriseManaged({
 *   client: { id: 'app', secret: process.env['CLIENT_SECRET'] ?? '', issuer: 'https://as.example.com' },
 *   provider: {
 *     issuer: 'https://idp.example.com',
 *     tokenEndpoint: 'https://idp.example.com/token',
 *     client: { id: 'app-at-provider' },
 *     idToken: idTokenOfUser,
 *   },
 * });
 * await using client = await connect('https://mcp.example.com/mcp', { auth });
 * ```
 */
export function enterpriseManaged(options: EnterpriseOptions): OAuth {
  const { client, provider } = options;
  checkClient(client);
  checkClient(provider.client);
  requireIssuer(client.issuer, 'A client of an organisation');
  return tokenManager(machineSource(client, { kind: 'enterprise', provider }, client.issuer), options);
}
