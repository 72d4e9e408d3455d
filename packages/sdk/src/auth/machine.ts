import * as oauth from 'oauth4webapi';
import { importJWK, importPKCS8, type JWK } from 'jose';
import { AuthError } from '../protocol/auth-error.ts';
import { shown } from '../protocol/text.ts';
import type { KnownClient } from './registration.ts';
import type { TokenRequest, TokenSource } from './token-source.ts';
import type { Grant } from './tokens.ts';
import { tokenAnswer } from './documents/read-answer.ts';
import {
  authenticate,
  type ClientIdentity,
  preregisteredIdentity,
  requestTokens,
  tokenError,
} from './token-endpoint.ts';

/** A private key with which a client signs, as PEM (PKCS #8) or JWK. */
export interface ClientKey {
  /** The private key, as PEM (PKCS #8) or JWK. */
  readonly key: string | Readonly<Record<string, unknown>>;
  /** The algorithm of the signature (JWS): `ES256`, `RS256` … */
  readonly algorithm: string;
  /** The `kid` of the key, by which the authorization server finds the public key. Default: none is sent. */
  readonly id?: string;
}

type Text = string | (() => string | Promise<string>);

/** How a program proves its identity. */
export type MachineProof =
  | { readonly kind: 'credentials' }
  | { readonly kind: 'assertion'; readonly assertion: Text }
  | {
      readonly kind: 'enterprise';
      readonly provider: {
        readonly issuer: string;
        readonly tokenEndpoint: string;
        readonly client: KnownClient;
        readonly idToken: Text;
      };
    };

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

async function textOf(text: Text): Promise<string> {
  return typeof text === 'function' ? text() : text;
}

async function keyOf({ key, algorithm, id }: ClientKey): Promise<oauth.PrivateKey> {
  const imported =
    typeof key === 'string'
      ? await importPKCS8(key, algorithm)
      : ((await importJWK(key as JWK, algorithm)) as oauth.CryptoKey);
  return { key: imported as oauth.CryptoKey, kid: id };
}

/** The parameters for the scope and resource of a token. Undefined members are left out, because they would be sent as text. */
function targetParameters(scope: string, resource: string | undefined): Record<string, string> {
  const parameters: Record<string, string> = {};
  if (scope !== '') parameters['scope'] = scope;
  if (resource !== undefined) parameters['resource'] = resource;
  return parameters;
}

/** No client authentication: the assertion alone identifies the program. */
const NO_CLIENT: ClientIdentity = { id: '', methods: [{ name: 'none', auth: () => {} }] };

/** The client authentication at this authorization server. */
async function identityAt(
  as: oauth.AuthorizationServer,
  client: KnownClient & { key?: ClientKey },
  grant: Grant | undefined,
): Promise<ClientIdentity> {
  const { id, key } = client;
  if (key !== undefined)
    return { id, methods: [{ name: 'private_key_jwt', auth: oauth.PrivateKeyJwt(await keyOf(key)) }] };
  return preregisteredIdentity(as, client, grant?.issuer === as.issuer ? grant.clientAuth : undefined);
}

/** Exchanges the user's ID token for a grant that the server's authorization server accepts (RFC 8693). */
async function identityGrant(
  ask: TokenRequest,
  { provider }: Extract<MachineProof, { kind: 'enterprise' }>,
  scope: string,
): Promise<string> {
  const { issuer, tokenEndpoint, client, idToken } = provider;
  const as: oauth.AuthorizationServer = { issuer, token_endpoint: tokenEndpoint };
  const { resource } = ask;
  const web = ask.web.trusting(tokenEndpoint);
  try {
    const parameters = {
      subject_token: await textOf(idToken),
      subject_token_type: ID_TOKEN,
      requested_token_type: ID_JAG,
      audience: ask.as.issuer,
      ...targetParameters(scope, resource),
    };
    const how = { [oauth.customFetch]: web.fetch as never, [oauth.allowInsecureRequests]: web.guard.loopback };
    const { answer } = await authenticate(preregisteredIdentity(as, client), async (auth) => {
      const response = await oauth.genericTokenEndpointRequest(
        as,
        { client_id: client.id },
        auth,
        TOKEN_EXCHANGE,
        parameters,
        how,
      );
      return oauth.processGenericTokenEndpointResponse(
        as,
        { client_id: client.id },
        await tokenAnswer(response, 'The token endpoint of the identity provider'),
        { recognizedTokenTypes: { n_a: () => {} } },
      );
    });
    // Any other token is for the provider only and must not be passed on.
    if (answer['issued_token_type'] !== ID_JAG || answer.token_type.toLowerCase() !== 'n_a')
      throw new AuthError(
        'invalid-response',
        'token',
        'The identity provider issued no grant for another authorization server',
      );
    return answer.access_token;
  } catch (error) {
    throw tokenError(error);
  }
}

/**
 * Obtains tokens for a program's own credentials, only from the authorization server they are for. It requests new tokens instead of
 * refreshing them.
 */
export function machineSource(
  client: (KnownClient & { key?: ClientKey }) | undefined,
  proof: MachineProof,
  issuer: string | undefined,
): TokenSource {
  return {
    owner: `for ${proof.kind} ${client?.id ?? ''}`,
    canRefresh: false,
    asksUser: false,
    async obtain(ask, scopes) {
      const { as } = ask;
      if (issuer !== undefined && issuer !== as.issuer)
        throw new AuthError(
          'wrong-issuer',
          'registration',
          `The credentials are for ${shown(issuer, 100)}, but the server names ${shown(as.issuer, 100)}`,
        );
      const scope = scopes.join(' ');
      const who = client === undefined ? NO_CLIENT : await identityAt(as, client, ask.grant);
      // oauth4webapi takes all parameters of these requests here.
      const parameters = targetParameters(scope, ask.resource);
      const metadata = { client_id: who.id === '' ? 'none' : who.id };
      if (proof.kind === 'credentials')
        return requestTokens(
          ask,
          who,
          (auth, how) => oauth.clientCredentialsGrantRequest(as, metadata, auth, parameters, how),
          (response) => oauth.processClientCredentialsResponse(as, metadata, response),
        );
      const assertion =
        proof.kind === 'assertion' ? await textOf(proof.assertion) : await identityGrant(ask, proof, scope);
      return requestTokens(
        ask,
        who,
        (auth, how) =>
          oauth.genericTokenEndpointRequest(as, metadata, auth, JWT_BEARER, { ...parameters, assertion }, how),
        (response) => oauth.processGenericTokenEndpointResponse(as, metadata, response),
      );
    },
    refresh() {
      return Promise.reject(new AuthError('refused', 'token', 'There is nothing to refresh'));
    },
    revoke: () => Promise.resolve(false),
  };
}
