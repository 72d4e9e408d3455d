// The same notes, protected by a provider without dynamic client registration, such as Google or a company's own. Clients
// register at this server instead, and get its tokens.
import { oauthProxy } from '@tenon/auth-proxy';
import { memoryStore } from 'tenon/http';
import { type ServedHttp, serveHttp } from 'tenon/node';
import { app, SCOPES } from './server.ts';

/** An OpenID Connect provider, and this server's client registration there. */
export interface ProviderOptions {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** The key that encrypts stored data: 32 characters or more. */
  readonly key: string;
}

/** Serves the notes. The provider must have `/callback` at the origin of `resource` registered as the redirect URI. */
export function serveBehindProvider(resource: string, { issuer, client, key }: ProviderOptions): Promise<ServedHttp> {
  return serveHttp(app, {
    port: Number(new URL(resource).port),
    signals: false,
    auth: oauthProxy({
      resource,
      name: 'Notes',
      provider: { issuer, client, scopes: ['openid'] },
      keys: [key],
      // Several nodes, or restarts, need a persistent store.
      store: memoryStore(),
      scopes: ['notes:read'],
      scopesSupported: SCOPES,
    }),
  });
}
