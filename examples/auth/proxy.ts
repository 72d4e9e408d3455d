// The same notes, protected by a provider at which programs cannot register themselves, such as Google or a company's own. Programs
// register with this server instead, and get its tokens.
import { oauthProxy } from '@tenon/auth-proxy';
import { memoryStore } from 'tenon/http';
import { type ServedHttp, serveHttp } from 'tenon/node';
import { app, SCOPES } from './server.ts';

/** A provider that speaks OpenID Connect, and who this server is there. */
export interface ProviderOptions {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** What is kept is encrypted with it: 32 characters or more. */
  readonly key: string;
}

/** Serves it. At the provider, `/callback` at the origin of `resource` has to be registered as the redirect address. */
export const serveBehindProvider = (resource: string, { issuer, client, key }: ProviderOptions): Promise<ServedHttp> =>
  serveHttp(app, {
    port: Number(new URL(resource).port),
    signals: false,
    auth: oauthProxy({
      resource,
      name: 'Notes',
      provider: { issuer, client, scopes: ['openid'] },
      keys: [key],
      // Several nodes, or a restart, need one that outlives the process.
      store: memoryStore(),
      scopes: ['notes:read'],
      scopesSupported: SCOPES,
    }),
  });
