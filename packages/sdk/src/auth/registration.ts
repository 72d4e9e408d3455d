import * as oauth from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import { shown } from '../protocol/text.ts';
import { isVisibleText } from './grammar.ts';
import { isLoopbackHost } from './guard.ts';
import { clientAuthOf, type ClientIdentity, methodFor } from './token-endpoint.ts';
import type { Grant } from './tokens.ts';
import type { Web } from './web.ts';

/** A client that the operator of the authorization server has registered. */
export interface KnownClient {
  readonly id: string;
  readonly secret?: string;
  /** The issuer of the authorization server that knows it: no other sees it. Needed where there is a secret, or a key. */
  readonly issuer?: string;
}

/** A server says itself where its tokens are to be had: without this it could name anybody, who would be shown what is secret. */
export const requireIssuer = (issuer: string | undefined, what: string): void => {
  if (issuer === undefined)
    throw new TypeError(`${what} needs the \`issuer\` of the authorization server it is for: it is shown to no other`);
};

/** Throws a `TypeError` for a client that no authorization server can know, such as one with a line break at the end of its secret. */
export function checkClient({ id, secret }: KnownClient): void {
  if (!isVisibleText(id)) throw new TypeError('The `id` of a client is one or more visible characters of ASCII');
  if (secret !== undefined && secret !== '' && !isVisibleText(secret))
    throw new TypeError('The `secret` of a client is visible characters of ASCII: is there a line break at its end?');
}

export interface RegistrationOptions {
  readonly client: KnownClient | undefined;
  /** The address of a client id metadata document. */
  readonly metadataUrl: string | undefined;
  readonly name: string;
  readonly redirectUri: string;
}

/** Who the client is at an authorization server, and what of it has to be kept. */
export interface Registered extends ClientIdentity {
  readonly kept: Pick<Grant, 'clientSecret' | 'clientAuth' | 'redirectUri'>;
}

const known = (as: oauth.AuthorizationServer, { id, secret, issuer }: KnownClient): Registered => {
  if (issuer !== undefined && issuer !== as.issuer)
    throw new AuthError(
      'registration',
      `The client is registered at ${shown(issuer, 100)}, but the server now names ${shown(as.issuer, 100)}`,
    );
  return { id, auth: clientAuthOf(methodFor(as, secret !== undefined), secret), kept: {} };
};

/** Of what was kept, only what is from this authorization server and for this address. */
const again = (
  grant: Grant | undefined,
  as: oauth.AuthorizationServer,
  redirectUri: string,
): Registered | undefined => {
  if (grant?.clientId === undefined || grant.issuer !== as.issuer || grant.redirectUri !== redirectUri)
    return undefined;
  const { clientId, clientSecret, clientAuth = 'none' } = grant;
  return {
    id: clientId,
    auth: clientAuthOf(clientAuth, clientSecret),
    kept: { redirectUri, clientAuth, ...(clientSecret === undefined ? {} : { clientSecret }) },
  };
};

/** Programs on the user's machine are `native`, others `web` (2026-07-28, "Application Type and Redirect URI Constraints"). */
const typeOf = (redirectUri: string): 'native' | 'web' => {
  const { protocol, hostname } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && !isLoopbackHost(hostname) ? 'web' : 'native';
};

/** What is wrong with an answer to a registration, in the words of the server where it has some. */
const registrationError = (redirectUri: string, said: string, code?: string): AuthError =>
  new AuthError(
    'registration',
    `The authorization server did not register the client (redirect address ${shown(redirectUri, 100)}): ${shown(said, 200)}`,
    code === undefined ? {} : { code },
  );

/**
 * Registers the client (RFC 7591). Many servers leave members out that they should send, such as when a secret runs out: what is needed
 * is an id.
 */
const register = async (
  endpoint: string,
  as: oauth.AuthorizationServer,
  { name, redirectUri }: RegistrationOptions,
  web: Web,
): Promise<Registered> => {
  const method = methodFor(as, false);
  const metadata = {
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: typeOf(redirectUri),
  };
  let made: unknown;
  let status: number;
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await web.fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(metadata) });
    status = response.status;
    made = await response.json().catch(() => undefined);
  } catch (error) {
    throw error instanceof AuthError ? error : registrationError(redirectUri, (error as Error).message);
  }
  const answer = isObject(made) ? made : {};
  const {
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: agreed,
    error,
    error_description: more,
  } = answer;
  if ((status !== 200 && status !== 201) || typeof id !== 'string' || id === '') {
    const code = typeof error === 'string' ? error : undefined;
    const said = [code ?? `status ${status}`, ...(typeof more === 'string' ? [more] : [])].join(': ');
    throw registrationError(redirectUri, said, code);
  }
  const clientAuth = typeof agreed === 'string' ? agreed : method;
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : undefined;
  if (!isVisibleText(id) || (clientSecret !== undefined && !isVisibleText(clientSecret)))
    throw registrationError(redirectUri, 'its client id or secret has characters that none may have');
  return {
    id,
    auth: clientAuthOf(clientAuth, clientSecret),
    kept: { redirectUri, clientAuth, ...(clientSecret === undefined ? {} : { clientSecret }) },
  };
};

/** The client as the authorization server knows it already: known before, of a metadata document, or kept. */
export function recognize(
  as: oauth.AuthorizationServer,
  { client, metadataUrl, redirectUri }: Omit<RegistrationOptions, 'name'>,
  grant: Grant | undefined,
): Registered | undefined {
  if (client !== undefined) return known(as, client);
  if (metadataUrl !== undefined && as['client_id_metadata_document_supported'] === true)
    return { id: metadataUrl, auth: oauth.None(), kept: {} };
  return again(grant, as, redirectUri);
}

/** Gets a client id: one that the authorization server knows, or a new one ("Client Registration Approaches"). */
export const identify = async (
  as: oauth.AuthorizationServer,
  options: RegistrationOptions,
  grant: Grant | undefined,
  web: Web,
): Promise<Registered> => {
  const there = recognize(as, options, grant);
  if (there !== undefined) return there;
  if (as.registration_endpoint !== undefined) return register(as.registration_endpoint, as, options, web);
  throw new AuthError(
    'registration',
    `The authorization server ${shown(as.issuer, 100)} registers no clients by itself: register one there, and give its id as \`client\``,
  );
};

/** What a program says about itself. */
export interface ClientDocument {
  /** What the authorization server calls it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Its page, for people. */
  readonly uri?: string;
  readonly logo?: string;
}

/** Checks the address of a client id metadata document. Throws a `TypeError` ("Client ID Metadata Documents", Implementation Requirements). */
export const checkDocumentUrl = (text: string): void => {
  const url = new URL(text);
  if (url.protocol !== 'https:' || url.pathname === '/' || url.hash !== '')
    throw new TypeError('The address of a client id metadata document is https and has a path: it is the client id');
};

/**
 * Makes a client id metadata document: the text that has to be served at `url`, as `application/json`, so that authorization servers accept `url`
 * as a client id. Give the same `url` to `oauth` as `metadataUrl`. Throws a `TypeError` for a `url` that is not https or has no path, and without
 * any `redirectUris`.
 *
 * @example
 * ```ts
 * import { clientDocument, loopback, oauth } from 'tenon/auth';
 *
 * const metadataUrl = 'https://app.example.com/client.json';
 * const document = clientDocument(metadataUrl, { name: 'My app', redirectUris: ['http://127.0.0.1/callback'] });
 * // Serve `document` at that address.
 * const auth = oauth({ browser: loopback(), metadataUrl });
 * ```
 */
export const clientDocument = (url: string, { name, redirectUris, uri, logo }: ClientDocument): string => {
  checkDocumentUrl(url);
  if (redirectUris.length === 0) throw new TypeError('`redirectUris` names at least one');
  const local = redirectUris.every((one) => typeOf(one) === 'native');
  return JSON.stringify({
    client_id: url,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: local ? 'native' : 'web',
    ...(uri === undefined ? {} : { client_uri: uri }),
    ...(logo === undefined ? {} : { logo_uri: logo }),
  });
};
