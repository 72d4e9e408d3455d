// The credentials of the conformance client, by scenario.
import {
  type Browser,
  clientCredentials,
  type ClientAuth,
  enterpriseManaged,
  oauth,
  workloadIdentity,
} from 'tenon/auth';

/** A user who approves: the suite's authorization servers redirect back at once. */
const browser: Browser = {
  open: () => ({
    redirectUri: 'http://localhost:3000/callback',
    async authorize(url) {
      const response = await fetch(url, { redirect: 'manual' });
      await response.body?.cancel();
      return response.headers.get('location') ?? '';
    },
    close() {},
  }),
};

const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

type Context = Readonly<Record<string, string>>;

/** The authorization server that the credentials are for. An operator would know it, but the suite does not tell it. */
async function issuerOf(url: string): Promise<string> {
  const { origin, pathname } = new URL(url);
  for (const place of [`/.well-known/oauth-protected-resource${pathname}`, '/.well-known/oauth-protected-resource']) {
    const response = await fetch(`${origin}${place}`);
    if (response.ok) return ((await response.json()) as { authorization_servers: string[] }).authorization_servers[0]!;
    await response.body?.cancel();
  }
  return origin;
}

const WAYS: ReadonlyMap<string, (context: Context) => ClientAuth> = new Map<string, (context: Context) => ClientAuth>([
  [
    'auth/pre-registration',
    ({ client_id: id = '', client_secret: secret = '', issuer = '' }) =>
      oauth({ browser, client: { id, secret, issuer } }),
  ],
  [
    'auth/client-credentials-jwt',
    ({ client_id: id = '', private_key_pem: key = '', signing_algorithm: algorithm = 'ES256', issuer = '' }) =>
      clientCredentials({ client: { id, key: { key, algorithm }, issuer } }),
  ],
  [
    'auth/client-credentials-basic',
    ({ client_id: id = '', client_secret: secret = '', issuer = '' }) =>
      clientCredentials({ client: { id, secret, issuer } }),
  ],
  [
    'auth/enterprise-managed-authorization',
    (context) =>
      enterpriseManaged({
        client: {
          id: context['client_id'] ?? '',
          secret: context['client_secret'] ?? '',
          issuer: context['issuer'] ?? '',
        },
        provider: {
          issuer: context['idp_issuer'] ?? '',
          tokenEndpoint: context['idp_token_endpoint'] ?? '',
          client: { id: context['idp_client_id'] ?? '' },
          idToken: context['idp_id_token'] ?? '',
        },
      }),
  ],
  [
    'auth/wif-jwt-bearer',
    ({ client_id: id, valid_jwt: assertion = '', issuer = '' }) =>
      workloadIdentity({ issuer, assertion, client: id === undefined ? undefined : { id } }),
  ],
]);

/** The credentials for a scenario. */
export async function authOf(scenario: string, url: string, context: Context): Promise<ClientAuth> {
  const way = WAYS.get(scenario);
  if (way !== undefined) return way({ issuer: await issuerOf(url), ...context });
  return oauth({ browser, metadataUrl: METADATA_URL, name: 'tenon-conformance-client' });
}

/** The tools to call, for scenarios that do not use `test-tool`. */
export const CALLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['auth/authorization-server-migration', ['test-tool', 'test-tool']],
]);
