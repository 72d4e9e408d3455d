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
 * Credentials of a user, who logs in when a server asks for it. Tokens are refreshed when they run out, and asked for again with more
 * scopes when they are not enough.
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

/** Credentials of a program: it shows a secret, or signs with a key (RFC 6749, section 4.4; RFC 7523). */
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

/** Credentials for a JWT of the platform (RFC 7523, section 2.1): workload identity federation. */
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

/** Credentials by way of an organisation's identity provider (Enterprise-Managed Authorization): it exchanges the id token for a grant. */
export const enterpriseManaged = (options: EnterpriseOptions): OAuth => {
  const { client, provider } = options;
  checkClient(client);
  checkClient(provider.client);
  requireIssuer(client.issuer, 'A client of an organisation');
  return keeper(machineSource(client, { kind: 'enterprise', provider }, client.issuer), options);
};
