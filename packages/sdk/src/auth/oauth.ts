import { createKeeper, type OAuth } from './keeper.ts';
import { machineSource } from './machine.ts';
import type { ClientKey } from './machine.ts';
import { checkClient, checkDocumentUrl, type KnownClient, requireIssuer } from './registration.ts';
import { memoryTokens, type TokenStore } from './tokens.ts';
import type { Browser } from './browser.ts';
import { userSource } from './user-flow.ts';

/** What every way to get tokens has. */
export interface AuthOptions {
  /** Where tokens are kept. Default: in memory. */
  readonly store?: TokenStore;
  /** Scopes to ask for besides those that the server names. */
  readonly scopes?: readonly string[];
  /** Bind tokens to a key of this client where the authorization server can (RFC 9449). Default true. */
  readonly dpop?: boolean;
  /** Reaches authorization servers. Default: `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}

/** How a user logs in. */
export interface OAuthOptions extends AuthOptions {
  /** Brings the user to the authorization server and back. */
  readonly browser: Browser;
  /** The client as the authorization server knows it. Without it the client registers itself. */
  readonly client?: KnownClient;
  /** The address of a client id metadata document of one's own, for authorization servers that take one. */
  readonly metadataUrl?: string;
  /** What the authorization server calls the client to its user. Default `Tenon`. */
  readonly name?: string;
}

const keeper = (source: Parameters<typeof createKeeper>[0]['source'], options: AuthOptions): OAuth =>
  createKeeper({
    source,
    store: options.store ?? memoryTokens(),
    scopes: options.scopes ?? [],
    dpop: options.dpop ?? true,
    fetch: options.fetch,
  });

/**
 * Credentials of a user, who logs in with a browser when a server asks for a token (OAuth 2.1, authorization code with PKCE). Access tokens are
 * refreshed 30 seconds before they expire. When a server wants more scopes, the user logs in again. One `oauth` may serve many connections.
 *
 * Throws a `TypeError` for a `client` that has a `secret` and no `issuer`, and for a `metadataUrl` that is not https. A login that fails rejects
 * the request with a `ConnectionError`, whose `cause` is an `AuthError`.
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
export const oauth = (options: OAuthOptions): OAuth => {
  const { client, metadataUrl, name = 'Tenon' } = options;
  if (metadataUrl !== undefined) checkDocumentUrl(metadataUrl);
  if (client !== undefined) checkClient(client);
  if (client?.secret !== undefined) requireIssuer(client.issuer, 'A client with a secret');
  return keeper(userSource(options.browser, { client, metadataUrl, name }), options);
};

/** A program that acts for itself. */
export interface MachineOptions extends AuthOptions {
  readonly client: KnownClient & { readonly key?: ClientKey };
}

/**
 * Credentials of a program that acts for itself, without a user (client credentials: RFC 6749, section 4.4). It authenticates with a secret, or
 * with a JWT that it signs with a private key (RFC 7523). Throws a `TypeError` without the `issuer` of the authorization server: a secret is
 * sent to no other.
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
export const clientCredentials = (options: MachineOptions): OAuth => {
  const { client } = options;
  checkClient(client);
  requireIssuer(client.issuer, 'A client that acts for itself');
  return keeper(machineSource(client, { kind: 'credentials' }, client.issuer), options);
};

/** A program whose platform says who it is. */
export interface WorkloadOptions extends AuthOptions {
  /** The issuer of the authorization server that takes it: no other sees it. */
  readonly issuer: string;
  readonly client?: KnownClient;
  /** The JWT that the platform gives the program; asked for each time. */
  readonly assertion: string | (() => string | Promise<string>);
}

/**
 * Credentials for a JWT that the platform gives the program, such as a Kubernetes service account token (workload identity federation: RFC 7523,
 * section 2.1). `assertion` is called for each new access token. The JWT is sent only to the authorization server named by `issuer`.
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
export const workloadIdentity = (options: WorkloadOptions): OAuth => {
  const { issuer, client, assertion } = options;
  if (client !== undefined) checkClient(client);
  requireIssuer(issuer, 'An assertion');
  return keeper(machineSource(client, { kind: 'assertion', assertion }, issuer), options);
};

/** A program of an organisation, whose identity provider decides. */
export interface EnterpriseOptions extends AuthOptions {
  readonly client: KnownClient;
  readonly provider: {
    readonly issuer: string;
    readonly tokenEndpoint: string;
    readonly client: KnownClient;
    /** The id token of the user, from the login at the provider. */
    readonly idToken: string | (() => string | Promise<string>);
  };
}

/**
 * Credentials that the identity provider of an organization decides about (Enterprise-Managed Authorization). The provider exchanges the id token
 * of the user for a grant, and the authorization server of the MCP server gives an access token for that grant. `client` is the program at the
 * authorization server, `provider.client` the same program at the provider. Throws a `TypeError` without `client.issuer`.
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
export const enterpriseManaged = (options: EnterpriseOptions): OAuth => {
  const { client, provider } = options;
  checkClient(client);
  checkClient(provider.client);
  requireIssuer(client.issuer, 'A client of an organisation');
  return keeper(machineSource(client, { kind: 'enterprise', provider }, client.issuer), options);
};
