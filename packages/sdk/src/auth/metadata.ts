import type { AuthorizationServer } from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { FIRST_AUTHORIZED } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import type { Challenge } from './challenge.ts';
import { RESOURCE_METADATA, SERVER_METADATA } from './documents/documents.ts';
import { sourceOf } from './documents/read-answer.ts';
import { type JsonDocument, readMembersOnce } from './documents/read-document.ts';
import type { UrlGuard } from './url-guard.ts';
import type { Web } from './web.ts';

/** The kind of tokens that a server requires, and where to get them. */
export interface Protection {
  /** The resource of the tokens, exactly as the server writes it (RFC 8707). Undefined for a server of 2025-03-26 without metadata. */
  readonly resource: string | undefined;
  /** The scopes in the server's metadata. */
  readonly scopes: readonly string[] | undefined;
  readonly as: AuthorizationServer;
}

/** `/mcp?a=1` → `/.well-known/<name>/mcp?a=1` (RFC 9728, section 3.1; RFC 8414, section 3.1). */
function wellKnown({ origin, pathname, search }: URL, name: string): string {
  return `${origin}/.well-known/${name}${pathname.replace(/\/$/, '')}${search}`;
}

/** Fetches the protected resource metadata: from the URL in the challenge, else from the two well-known URLs (RFC 9728). */
async function findResource(
  server: URL,
  challenge: Challenge | undefined,
  web: Web,
): Promise<{ readonly document: JsonDocument; readonly url: string } | undefined> {
  const named = challenge?.params.get('resource_metadata');
  const given =
    named === undefined ? [] : [web.guard.check(named, 'The URL of the protected resource metadata', 'discovery').href];
  const root = `${server.origin}/.well-known/oauth-protected-resource`;
  for (const url of new Set([...given, wellKnown(server, 'oauth-protected-resource'), root])) {
    const document = await web.json(url, 'The protected resource metadata');
    if (document !== undefined) return { document, url };
  }
  return undefined;
}

/** A URL as written, in parts: scheme, host, path, query. */
const WRITTEN = /^(https?:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?$/i;

/**
 * Why tokens for this resource are not for the server; undefined if it is the server itself, or contains it. The resource is sent as it is
 * written, so it must be in the form in which it is compared: an authorization server could interpret any other form as another URL.
 */
function problemOfResource(resource: string, server: URL): string | undefined {
  const [, , host = '', path = '', query] = WRITTEN.exec(resource) ?? [];
  // A resource has no fragment, spaces, control characters or backslashes (RFC 9728, section 1.2).
  if (host === '' || !/^[\x21-\x7e]+$/.test(resource) || resource.includes('\\'))
    return 'it is not a resource identifier';
  if (host.includes('@')) return 'it contains a user name or a password';
  if (!URL.canParse(resource)) return 'it is not a valid URL';
  const url = new URL(resource);
  if (url.origin !== server.origin) return 'another origin';
  const port = url.protocol === 'https:' ? ':443' : ':80';
  const isPlain = [url.host, `${url.hostname}${port}`].includes(host.toLowerCase()) && url.pathname === (path || '/');
  if (!isPlain) return 'it is not in its normal form';
  if (query !== undefined && query !== server.search) return 'the server has no such query';
  const [whole, part] = [url.pathname, server.pathname].map((one) => (one.endsWith('/') ? one : `${one}/`));
  return part!.startsWith(whole!) ? undefined : 'another path';
}

/** The issuer of an authorization server as a URL, which has no query and no fragment (RFC 8414, section 2). */
function checkIssuer(issuer: string, { guard }: Web): URL {
  const url = guard.check(issuer, 'The authorization server', 'discovery');
  if (!/[?#]/.test(issuer)) return url;
  throw new AuthError(
    'unsafe-address',
    'discovery',
    `The authorization server (${shown(url.origin, 100)}) is not used: its issuer has a query or a fragment`,
  );
}

/** The URLs where metadata of an authorization server may be, in the order of the specification. */
export function metadataUrls(issuer: URL): string[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const oauth = wellKnown(issuer, 'oauth-authorization-server');
  const inserted = wellKnown(issuer, 'openid-configuration');
  return path === ''
    ? [oauth, inserted]
    : [oauth, inserted, `${issuer.origin}${path}/.well-known/openid-configuration`];
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const;

/**
 * Reads the metadata members that are used here. The issuer is not compared. Throws an `AuthError` for a member of the wrong type, and for a
 * forbidden endpoint, because credentials are sent to endpoints.
 */
export function readServer(document: JsonDocument, guard: UrlGuard, what: string): AuthorizationServer {
  const found = readMembersOnce(document, SERVER_METADATA, sourceOf(what, 'discovery'));
  for (const name of ENDPOINTS) {
    const address = found[name];
    if (address !== undefined) guard.check(address, `The ${name} of ${shown(found.issuer, 100)}`, 'discovery');
  }
  return found as AuthorizationServer;
}

const METADATA = 'The metadata of the authorization server';

/** Fetches the metadata of an authorization server. The issuer in it must be exactly the expected one (RFC 8414, section 3.3). */
export async function findAuthorizationServer(
  issuer: string,
  web: Web,
  headers: Readonly<Record<string, string>> = {},
): Promise<AuthorizationServer | undefined> {
  for (const place of metadataUrls(checkIssuer(issuer, web))) {
    const found = await web.json(place, METADATA, headers);
    if (found === undefined) continue;
    const server = readServer(found, web.guard, METADATA);
    if (server.issuer === issuer) return server;
    throw new AuthError(
      'wrong-issuer',
      'discovery',
      `The metadata of the authorization server ${shown(issuer, 100)} are those of ${shown(server.issuer, 100)}`,
    );
  }
  return undefined;
}

/**
 * Determines the kind of tokens that a server requires. Without metadata, it may be a server of 2025-03-26 that is its own authorization
 * server.
 */
export async function discoverProtection(server: URL, challenge: Challenge | undefined, web: Web): Promise<Protection> {
  const found = await findResource(server, challenge, web);
  if (found === undefined)
    return { resource: undefined, scopes: undefined, as: await ownAuthorizationServer(server, web) };
  const {
    resource,
    authorization_servers: [issuer] = [],
    scopes_supported: scopes,
  } = readMembersOnce(found.document, RESOURCE_METADATA, sourceOf('The protected resource metadata', 'discovery'));
  const problem = problemOfResource(resource, server);
  if (problem !== undefined)
    throw new AuthError(
      'wrong-resource',
      'discovery',
      `The metadata at ${shown(found.url, 200)} names ${shown(resource, 100)}, but you called ${server.origin}${server.pathname} (${problem})`,
    );
  if (issuer === undefined) throw new AuthError('no-metadata', 'discovery', 'The server names no authorization server');
  const as = await findAuthorizationServer(issuer, web);
  if (as === undefined)
    throw new AuthError('no-metadata', 'discovery', `The authorization server ${shown(issuer, 100)} has no metadata`);
  return { resource, scopes, as };
}

/** 2025-03-26, "Server Metadata Discovery" and "Fallbacks for Servers without Metadata Discovery". */
async function ownAuthorizationServer({ origin }: URL, web: Web): Promise<AuthorizationServer> {
  return (
    (await findAuthorizationServer(origin, web, { 'mcp-protocol-version': FIRST_AUTHORIZED })) ?? {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    }
  );
}
