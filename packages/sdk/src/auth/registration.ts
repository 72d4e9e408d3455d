import * as oauth from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { reasonOf, shown } from '../protocol/text.ts';
import { REGISTRATION_ANSWER } from './documents/documents.ts';
import { readAnswer } from './documents/read-answer.ts';
import { isVisibleText } from './grammar.ts';
import { isLoopbackHost } from './url-guard.ts';
import {
  AUTH_METHODS,
  clientAuthOf,
  type ClientIdentity,
  preregisteredIdentity,
  registrationMethod,
} from './token-endpoint.ts';
import type { Grant } from './tokens.ts';
import type { Web } from './web.ts';

/** A client that was registered in advance at an authorization server. */
export interface KnownClient {
  /** The client id: visible ASCII characters. */
  readonly id: string;
  /** The client secret: visible ASCII characters. Default: none, a public client. */
  readonly secret?: string;
  /**
   * The issuer of the authorization server where it is registered. The credentials are sent to no other. Required with a secret or a key.
   */
  readonly issuer?: string;
}

/** A server chooses its authorization server. Without a fixed issuer, it could direct the secret to any other one. */
export function requireIssuer(issuer: string | undefined, what: string): void {
  if (issuer === undefined)
    throw new TypeError(`${what} needs the \`issuer\` of its authorization server: it is not sent to any other`);
}

/** Throws a `TypeError` for a client that cannot be registered anywhere, for example because its secret ends with a line break. */
export function checkClient({ id, secret }: KnownClient): void {
  if (!isVisibleText(id)) throw new TypeError('The `id` of a client must be one or more visible ASCII characters');
  if (secret !== undefined && secret !== '' && !isVisibleText(secret))
    throw new TypeError('The `secret` of a client must be visible ASCII characters: is there a line break at its end?');
}

/** Throws a `TypeError` for a client of a user that cannot be used: one that `checkClient` refuses, or with a secret and no `issuer`. */
export function checkUserClient(client: KnownClient): void {
  checkClient(client);
  if (client.secret !== undefined) requireIssuer(client.issuer, 'A client with a secret');
}

export interface RegistrationOptions {
  readonly client: KnownClient | undefined;
  /** The URL of a client ID metadata document. */
  readonly metadataUrl: string | undefined;
  readonly name: string;
  readonly redirectUri: string;
}

/** A client at an authorization server, and the part of it that has to be stored. */
export interface RegisteredClient extends ClientIdentity {
  readonly stored: Pick<Grant, 'clientSecret' | 'clientAuth' | 'redirectUri'>;
}

function knownClient(as: oauth.AuthorizationServer, client: KnownClient, grant: Grant | undefined): RegisteredClient {
  const { id, issuer } = client;
  if (issuer !== undefined && issuer !== as.issuer)
    throw new AuthError(
      'wrong-issuer',
      'registration',
      `The client is registered at ${shown(issuer, 100)}, but the server now names ${shown(as.issuer, 100)}`,
    );
  const worked = grant?.issuer === as.issuer && grant.clientId === id ? grant.clientAuth : undefined;
  return { ...preregisteredIdentity(as, client, worked), stored: {} };
}

/** The stored client, if it is from this authorization server and for this redirect URI. */
function storedClient(
  grant: Grant | undefined,
  as: oauth.AuthorizationServer,
  redirectUri: string,
): RegisteredClient | undefined {
  if (grant?.clientId === undefined || grant.issuer !== as.issuer || grant.redirectUri !== redirectUri)
    return undefined;
  const { clientId, clientSecret, clientAuth = 'none' } = grant;
  return {
    id: clientId,
    methods: [{ name: clientAuth, auth: clientAuthOf(clientAuth, clientSecret) }],
    stored: { redirectUri, clientAuth, clientSecret },
  };
}

/** Programs on the user's machine are `native`, others `web` (2026-07-28, "Application Type and Redirect URI Constraints"). */
function applicationTypeOf(redirectUri: string): 'native' | 'web' {
  const { protocol, hostname } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && !isLoopbackHost(hostname) ? 'web' : 'native';
}

/**
 * Registers the client (RFC 7591). Only the client id is required in the answer: many servers omit members that they should send, such as
 * the expiry of a secret.
 */
async function register(
  endpoint: string,
  as: oauth.AuthorizationServer,
  { name, redirectUri }: RegistrationOptions,
  web: Web,
): Promise<RegisteredClient> {
  const method = registrationMethod(as);
  const metadata = {
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: applicationTypeOf(redirectUri),
  };
  const what = `The registration endpoint of the authorization server (for the redirect address ${shown(redirectUri, 100)})`;
  let response: Response;
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    response = await web.fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(metadata) });
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw new AuthError('invalid-response', 'registration', `${what} cannot be reached: ${reasonOf(error as Error)}`);
  }
  const {
    read: { client_id: id, client_secret: secret, token_endpoint_auth_method: clientAuth = method },
  } = await readAnswer(response, REGISTRATION_ANSWER, { what, step: 'registration', statuses: [200, 201] });
  if (!AUTH_METHODS.includes(clientAuth))
    throw new AuthError(
      'invalid-response',
      'registration',
      `${what} wants the client to authenticate by ${shown(clientAuth, 60)}, which it cannot`,
    );
  const clientSecret = secret === '' ? undefined : secret;
  return {
    id,
    methods: [{ name: clientAuth, auth: clientAuthOf(clientAuth, clientSecret) }],
    stored: { redirectUri, clientAuth, clientSecret },
  };
}

/** The client that the authorization server already knows: registered in advance, by its metadata document, or stored. */
export function findClient(
  as: oauth.AuthorizationServer,
  { client, metadataUrl, redirectUri }: Omit<RegistrationOptions, 'name'>,
  grant: Grant | undefined,
): RegisteredClient | undefined {
  if (client !== undefined) return knownClient(as, client, grant);
  if (metadataUrl !== undefined && as['client_id_metadata_document_supported'] === true)
    return { id: metadataUrl, methods: [{ name: 'none', auth: oauth.None() }], stored: {} };
  return storedClient(grant, as, redirectUri);
}

/** Finds the client that the authorization server knows, or registers it ("Client Registration Approaches"). */
export async function getClient(
  as: oauth.AuthorizationServer,
  options: RegistrationOptions,
  grant: Grant | undefined,
  web: Web,
): Promise<RegisteredClient> {
  const existing = findClient(as, options, grant);
  if (existing !== undefined) return existing;
  if (as.registration_endpoint !== undefined) return register(as.registration_endpoint, as, options, web);
  throw new AuthError(
    'no-registration',
    'registration',
    `The authorization server ${shown(as.issuer, 100)} does not support dynamic registration: register a client there, and give its id as \`client\``,
  );
}

/** The contents of a client ID metadata document. */
export interface ClientDocument {
  /** The name of the program, which the authorization server shows to the user. */
  readonly name: string;
  /**
   * The redirect URIs, at least one. If all of them are loopback addresses or have a scheme of their own, the client is a native
   * application.
   */
  readonly redirectUris: readonly string[];
  /** The web page of the program. */
  readonly uri?: string;
  /** The URL of the logo. */
  readonly logo?: string;
}

/** Throws a `TypeError` for an invalid URL of a client ID metadata document ("Client ID Metadata Documents", Implementation Requirements). */
export function checkDocumentUrl(text: string): void {
  const url = new URL(text);
  if (url.protocol !== 'https:' || url.pathname === '/' || url.hash !== '')
    throw new TypeError('The URL of a client ID metadata document must be https and have a path');
}

/**
 * Makes a client ID metadata document: the text that has to be served at `url`, as `application/json`, so that authorization servers accept `url`
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
export function clientDocument(url: string, { name, redirectUris, uri, logo }: ClientDocument): string {
  checkDocumentUrl(url);
  if (redirectUris.length === 0) throw new TypeError('`redirectUris` must name at least one');
  const isLocal = redirectUris.every((one) => applicationTypeOf(one) === 'native');
  return JSON.stringify({
    client_id: url,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: isLocal ? 'native' : 'web',
    client_uri: uri,
    logo_uri: logo,
  });
}
