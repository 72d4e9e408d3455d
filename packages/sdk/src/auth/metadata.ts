import type { AuthorizationServer } from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { FIRST_AUTHORIZED } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import type { Challenge } from './challenge.ts';
import { isScope } from './grammar.ts';
import type { UrlGuard } from './url-guard.ts';
import type { Web } from './web.ts';

/** Which tokens a server needs, and where to get them. */
export interface Protection {
  /** The resource of the tokens, exactly as the server writes it (RFC 8707). Undefined for a server of 2025-03-26 without metadata. */
  readonly resource: string | undefined;
  /** The scopes in the server's metadata. */
  readonly scopes: readonly string[] | undefined;
  readonly as: AuthorizationServer;
}

function strings(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** `/mcp` → `/.well-known/<name>/mcp` (RFC 9728, section 3.1; RFC 8414, section 3.1). */
function wellKnown({ origin, pathname }: URL, name: string): string {
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`;
}

/** Fetches the protected resource metadata: from the URL in the challenge, else from the two well-known URLs (RFC 9728). */
async function findResource(server: URL, challenge: Challenge | undefined, web: Web): Promise<JsonObject | undefined> {
  const what = 'The protected resource metadata';
  const named = challenge?.params.get('resource_metadata');
  if (named !== undefined) {
    const found = await web.json(
      web.guard.check(named, 'The URL of the protected resource metadata', 'discovery').href,
      what,
    );
    if (found !== undefined) return found;
  }
  const root = `${server.origin}/.well-known/oauth-protected-resource`;
  for (const url of new Set([wellKnown(server, 'oauth-protected-resource'), root])) {
    const found = await web.json(url, what);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Is the resource in the metadata the server itself, or a resource that contains it? */
function covers(resource: string, server: URL): boolean {
  let url: URL;
  try {
    url = new URL(resource);
  } catch {
    return false;
  }
  if (url.origin !== server.origin || url.hash !== '') return false;
  const [whole, part] = [url.pathname, server.pathname].map((path) => (path.endsWith('/') ? path : `${path}/`));
  return part!.startsWith(whole!);
}

/** The URLs where metadata of an authorization server may be, in the order of the specification. */
function metadataUrls(issuer: URL): string[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const oauth = wellKnown(issuer, 'oauth-authorization-server');
  const inserted = wellKnown(issuer, 'openid-configuration');
  return path === ''
    ? [oauth, inserted]
    : [oauth, inserted, `${issuer.origin}${path}/.well-known/openid-configuration`];
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const;

const LIST_MEMBERS = [
  'scopes_supported',
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'dpop_signing_alg_values_supported',
  'id_token_signing_alg_values_supported',
] as const;
const FLAG_MEMBERS = [
  'client_id_metadata_document_supported',
  'authorization_response_iss_parameter_supported',
] as const;

/**
 * Reads the metadata members that are used here. A list or a flag of the wrong type counts as absent. Throws an `AuthError` for an invalid
 * or forbidden endpoint, because credentials are sent to endpoints.
 */
export function readServer(issuer: string, found: JsonObject, guard: UrlGuard): AuthorizationServer {
  const known: Record<string, unknown> = { issuer };
  for (const name of ENDPOINTS) {
    const value = found[name] ?? undefined;
    if (value === undefined) continue;
    const what = `The ${name} of ${shown(issuer, 100)}`;
    if (typeof value !== 'string')
      throw new AuthError('unsafe-address', 'discovery', `${what} is not a valid URL: ${shown(value, 100)}`);
    guard.check(value, what, 'discovery');
    known[name] = value;
  }
  for (const name of LIST_MEMBERS) {
    const list = strings(found[name]);
    if (list !== undefined) known[name] = list;
  }
  for (const name of FLAG_MEMBERS) if (found[name] === true) known[name] = true;
  return known as unknown as AuthorizationServer;
}

/** Fetches the metadata of an authorization server. The issuer in it must be exactly the expected one (RFC 8414, section 3.3). */
export async function findAuthorizationServer(
  issuer: string,
  web: Web,
  headers: Readonly<Record<string, string>> = {},
): Promise<AuthorizationServer | undefined> {
  const url = web.guard.check(issuer, 'The authorization server', 'discovery');
  for (const place of metadataUrls(url)) {
    const found = await web.json(place, 'The metadata of the authorization server', headers);
    if (found === undefined) continue;
    if (found['issuer'] !== issuer)
      throw new AuthError(
        'wrong-issuer',
        'discovery',
        `The metadata of the authorization server ${shown(issuer, 100)} are those of ${shown(found['issuer'], 100)}`,
      );
    return readServer(issuer, found, web.guard);
  }
  return undefined;
}

/** Finds out which tokens a server needs. Without metadata, it may be a server of 2025-03-26 that is its own authorization server. */
export async function discoverProtection(server: URL, challenge: Challenge | undefined, web: Web): Promise<Protection> {
  const found = await findResource(server, challenge, web);
  if (found === undefined)
    return { resource: undefined, scopes: undefined, as: await ownAuthorizationServer(server, web) };
  const { resource } = found;
  if (typeof resource !== 'string' || !covers(resource, server))
    throw new AuthError(
      'wrong-issuer',
      'discovery',
      `The server's metadata are for ${shown(resource, 100)}, not for the server that was called: ${server.origin}${server.pathname}`,
    );
  const [issuer] = strings(found['authorization_servers']) ?? [];
  if (issuer === undefined) throw new AuthError('no-metadata', 'discovery', 'The server names no authorization server');
  const as = await findAuthorizationServer(issuer, web);
  if (as === undefined)
    throw new AuthError('no-metadata', 'discovery', `The authorization server ${shown(issuer, 100)} has no metadata`);
  return { resource, scopes: strings(found['scopes_supported'])?.filter(isScope), as };
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
