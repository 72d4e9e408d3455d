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

/** The mistake of a server that forgets logins, for a test of the checks: no refresh token is valid, nor an access token that was used before. */
export function forgetLogins(gatekeeper: Gatekeeper): Gatekeeper {
  const used = new Set<unknown>();
  const forgotten = new Set<unknown>();
  return {
    ...gatekeeper,
    authenticate(request) {
      const token = request.header('authorization');
      used.add(token);
      const header: typeof request.header = (name) => (name === 'authorization' ? 'Bearer none' : request.header(name));
      return gatekeeper.authenticate(forgotten.has(token) ? { ...request, header } : request);
    },
    page(request) {
      let body: ReturnType<PageRequest['body']> | undefined;
      const answered = gatekeeper.page?.({ ...request, body: (most) => (body ??= request.body(most)) });
      return answered?.then(async (answer) => {
        if (!/(?:^|&)grant_type=refresh_token/.test((await body) ?? '')) return answer;
        for (const token of used) forgotten.add(token);
        return { status: 400, headers: { 'content-type': 'application/json' }, body: '{"error":"invalid_grant"}' };
      });
    },
  };
}
