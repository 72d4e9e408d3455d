import type { Store } from 'tenon';

/** A value, or a promise of it. */
type Maybe<T> = T | PromiseLike<T>;

/** A user, as the provider knows them. */
export interface ProxyUser {
  /** Identifies the user: the provider never gives it to another one. */
  readonly subject: string;
  /** What tools find in `ctx.principal.claims`. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** An identity provider at which this server was registered by hand, as a client. */
export interface OAuthProvider {
  /** For a provider that speaks OpenID Connect: its endpoints are found through its metadata. */
  readonly issuer?: string;
  /** For any other provider: where users log in. */
  readonly authorizationEndpoint?: string;
  /** For any other provider: where a code is exchanged for tokens. */
  readonly tokenEndpoint?: string;
  /** This server, as it is registered at the provider. */
  readonly client: { readonly id: string; readonly secret: string };
  /** The scopes to ask the provider for. Default: `openid` where there is an issuer. */
  readonly scopes?: readonly string[];
  /** Further parameters of the login, such as `access_type: 'offline'`. */
  readonly params?: Readonly<Record<string, string>>;
  /** Finds out whose an access token is. Needed without an issuer; with one, the id token says it. */
  user?(accessToken: string): Maybe<ProxyUser>;
}

/** A program that wants to use the server. */
export interface ProxyClient {
  readonly id: string;
  /** The name that it gives itself: anybody can register under any name. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Is it a program on the user's machine? Those may use any port of it for the answer (RFC 8252, section 7.3). */
  readonly native: boolean;
}

/** What the proxy protects, and by which provider. */
export interface OAuthProxyOptions {
  /** The address of the server as its clients call it. The pages of the proxy are at its origin. */
  readonly resource: string;
  readonly provider: OAuthProvider;
  /** Encrypt everything that is stored: the first key encrypts, all of them decrypt. At least 32 characters each. */
  readonly keys: readonly string[];
  /** Where registrations and logins are kept. */
  readonly store: Store;
  /** The scopes that every request needs, and that every login gets. */
  readonly scopes?: readonly string[];
  /** All scopes of the server. Default: `scopes`. */
  readonly scopesSupported?: readonly string[];
  /** The name of the server, as users see it. */
  readonly name?: string;
  /** Decides which programs may use the server. Default: every one whose user agrees. */
  accept?(client: ProxyClient): Maybe<boolean>;
  /** Fetches from the provider, and the metadata documents of clients. Default: `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}
