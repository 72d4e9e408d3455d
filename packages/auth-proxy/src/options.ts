import type { Store } from 'tenon';

/** A value, or a promise of it. */
type Maybe<T> = T | PromiseLike<T>;

/** A user, as the provider knows them. */
export interface ProxyUser {
  /** The unique id of the user, which the provider never reuses. */
  readonly subject: string;
  /** The claims for tools, as `ctx.principal.claims`. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** An identity provider at which this server was registered manually as a client. */
export interface OAuthProvider {
  /** For OpenID Connect providers, whose endpoints are discovered from their metadata. */
  readonly issuer?: string;
  /** For other providers: the endpoint where users log in. */
  readonly authorizationEndpoint?: string;
  /** For other providers: the endpoint that exchanges codes for tokens. */
  readonly tokenEndpoint?: string;
  /** The credentials of this server at the provider. */
  readonly client: { readonly id: string; readonly secret: string };
  /** The scopes to request from the provider. Default: `openid` if there is an issuer, else none. */
  readonly scopes?: readonly string[];
  /** Additional parameters of the authorization request, such as `access_type: 'offline'`. */
  readonly params?: Readonly<Record<string, string>>;
  /** Finds the user of an access token. Required without an issuer; with one, the default is the id token. */
  user?(accessToken: string): Maybe<ProxyUser>;
}

/** A program that wants to use the server. */
export interface ProxyClient {
  /** The client id that it got when it registered, or the URL of its metadata document. */
  readonly id: string;
  /** The name that it registered with. Any program can use any name. */
  readonly name: string;
  /** Where a browser may be sent after the login. At least one. */
  readonly redirectUris: readonly string[];
  /** Whether it runs on the user's machine. Such programs may use any loopback port in their redirect URI (RFC 8252, section 7.3). */
  readonly native: boolean;
}

/** Options of `oauthProxy`. */
export interface OAuthProxyOptions {
  /** The URL of the server as its clients use it. The pages of the proxy are at its origin. */
  readonly resource: string;
  /** Where users log in. */
  readonly provider: OAuthProvider;
  /** Keys that encrypt everything that is stored: the first key encrypts, all of them decrypt. At least 32 characters each. */
  readonly keys: Iterable<string>;
  /** The store for registrations and logins. */
  readonly store: Store;
  /** The scopes that every request requires and every login gets. Default: none. */
  readonly scopes?: readonly string[];
  /** Scopes of the server beside `scopes`. Default: none. */
  readonly scopesSupported?: readonly string[];
  /** The name of the server for users. Default: the host of `resource`. */
  readonly name?: string;
  /** Decides which programs may use the server. Default: all whose users give consent. */
  accept?(client: ProxyClient): Maybe<boolean>;
  /** Fetches from the provider, and fetches metadata documents of clients. Default: `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}

/** All scopes of the server. */
export function allScopesOf({ scopes = [], scopesSupported = [] }: OAuthProxyOptions): readonly string[] {
  return [...new Set([...scopes, ...scopesSupported])];
}
