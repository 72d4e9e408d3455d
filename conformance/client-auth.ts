// What the client of the conformance suite has to show, by scenario.
import {
  type Browser,
  clientCredentials,
  type ClientAuth,
  enterpriseManaged,
  oauth,
  workloadIdentity,
} from 'tenon/auth';

/** A user who says yes: the authorization servers of the suite send back at once. */
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

const WAYS: ReadonlyMap<string, (context: Context) => ClientAuth> = new Map<string, (context: Context) => ClientAuth>([
  [
    'auth/pre-registration',
    ({ client_id: id = '', client_secret: secret = '', issuer }) =>
      oauth({ browser, client: { id, secret, ...(issuer === undefined ? {} : { issuer }) } }),
  ],
  [
    'auth/client-credentials-jwt',
    ({ client_id: id = '', private_key_pem: key = '', signing_algorithm: algorithm = 'ES256' }) =>
      clientCredentials({ client: { id, key: { key, algorithm } } }),
  ],
  [
    'auth/client-credentials-basic',
    ({ client_id: id = '', client_secret: secret = '' }) => clientCredentials({ client: { id, secret } }),
  ],
  [
    'auth/enterprise-managed-authorization',
    (context) =>
      enterpriseManaged({
        client: { id: context['client_id'] ?? '', secret: context['client_secret'] ?? '' },
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
    ({ client_id: id, valid_jwt: assertion = '' }) =>
      workloadIdentity({ assertion, ...(id === undefined ? {} : { client: { id } }) }),
  ],
]);

/** The credentials for a scenario. */
export const authOf = (scenario: string, context: Context): ClientAuth =>
  WAYS.get(scenario)?.(context) ?? oauth({ browser, metadataUrl: METADATA_URL, name: 'tenon-conformance-client' });

/** The tools that are called, where it is not `test-tool`. */
export const CALLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['auth/authorization-server-migration', ['test-tool', 'test-tool']],
]);
