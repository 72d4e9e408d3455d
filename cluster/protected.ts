// The same server for users who have logged in: its nodes are the authorization server together, and their logins are in the store.

import { oauthProxy } from '@tenon/auth-proxy';
import type { Gatekeeper, PageRequest } from 'tenon/auth';
import type { Store } from 'tenon';

/** What the provider knows of the cluster. */
export const PROVIDER_CLIENT = { id: 'cluster', secret: 'a secret that all nodes of this cluster share' };

/** An endpoint that only users who have logged in can use. */
export interface ProtectedEndpoint {
  /** The URL of the endpoint for clients. */
  readonly resource: string;
  /** The OpenID Connect provider that knows the users. */
  readonly issuer: string;
}

/** The redirect URI that has to be registered at the provider. */
export function redirectUriOf(resource: string): string {
  return new URL('/callback', resource).href;
}

/** Lets users in who have logged in at any node. */
export function protect({ resource, issuer }: ProtectedEndpoint, store: Store, keys: readonly string[]): Gatekeeper {
  return oauthProxy({
    resource,
    name: 'Cluster',
    provider: { issuer, client: PROVIDER_CLIENT, scopes: ['openid'] },
    keys,
    store,
  });
}

/** The mistake of a server that forgets logins, for a test of the checks: no refresh token is valid. */
export function forgetLogins(gatekeeper: Gatekeeper): Gatekeeper {
  const page = async (request: PageRequest) => {
    const body = request.method === 'POST' ? await request.body(100_000) : undefined;
    return body?.includes('refresh_token') === true
      ? { status: 400, headers: { 'content-type': 'application/json' }, body: '{"error":"invalid_grant"}' }
      : gatekeeper.page?.({ ...request, body: () => Promise.resolve(body) });
  };
  return { ...gatekeeper, page: page as NonNullable<Gatekeeper['page']> };
}
