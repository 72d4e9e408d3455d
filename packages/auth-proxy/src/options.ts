import type { Store } from 'tenon';

/** A value, or a promise of it. */
type Maybe<T> = T | PromiseLike<T>;

/** Who somebody is at the provider. */
export interface ProxyUser {
  /** Never given to anybody else there. */
  readonly subject: string;
  /** What tools may want to know: they find it in `ctx.principal.claims`. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** An identity provider at which one client is registered by hand: this server. */
export interface OAuthProvider {
  /** Of a provider that speaks OpenID Connect: the rest is found there. */
  readonly issuer?: string;
  /** Of any other: where its users log in, and where a code becomes a token. */
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** What is asked for there. Default: `openid` where there is an issuer. */
  readonly scopes?: readonly string[];
  /** More parameters of the login, such as `access_type: 'offline'`. */
  readonly params?: Readonly<Record<string, string>>;
  /** Finds out who somebody is. Needed without an issuer; with one, the id token tells. */
  user?(accessToken: string): Maybe<ProxyUser>;
}

/** A program that wants to use the server. */
export interface ProxyClient {
  readonly id: string;
  /** What it calls itself. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Programs on the user's machine may come back to any port of it (RFC 8252, section 7.3). */
  readonly native: boolean;
}

export interface OAuthProxyOptions {
  /** The address of the server as its clients call it. The pages of the proxy are at its origin. */
  readonly resource: string;
  readonly provider: OAuthProvider;
  /** What everything that is kept is encrypted with: the first key seals, all of them open. At least 32 characters each. */
  readonly keys: readonly string[];
  /** Where registrations and logins are kept. */
  readonly store: Store;
  /** The scopes that every request needs, and that everybody who logs in gets. */
  readonly scopes?: readonly string[];
  /** All scopes there are. Default: `scopes`. */
  readonly scopesSupported?: readonly string[];
  /** The name of the server, for people. */
  readonly name?: string;
  /** May this program use the server? Default: any that asks its user. */
  accept?(client: ProxyClient): Maybe<boolean>;
  /** Reaches the provider, and the documents of clients. Default: `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}
