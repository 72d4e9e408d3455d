import type { AuthorizationServer } from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { FIRST_AUTHORIZED } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import type { Challenge } from './challenge.ts';
import { isScope } from './grammar.ts';
import type { UrlGuard } from './guard.ts';
import type { Web } from './web.ts';

/** Where and for what a token is to be had. */
export interface Protection {
  /** What tokens are asked for, exactly as the server writes it (RFC 8707). Undefined: a server of 2025-03-26, which has no name for it. */
  readonly resource: string | undefined;
  /** What the server says may be asked for. */
  readonly scopes: readonly string[] | undefined;
  readonly as: AuthorizationServer;
}

const strings = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;

/** `/mcp` → `/.well-known/<name>/mcp` (RFC 9728, section 3.1; RFC 8414, section 3.1). */
const wellKnown = ({ origin, pathname }: URL, name: string): string =>
  `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`;

/** Protected resource metadata: where the server says it is, else at the two places where it may be (RFC 9728). */
const findResource = async (
  server: URL,
  challenge: Challenge | undefined,
  web: Web,
): Promise<JsonObject | undefined> => {
  const what = 'What the server says about its authorization';
  const named = challenge?.params.get('resource_metadata');
  if (named !== undefined) {
    const found = await web.json(
      web.guard.check(named, 'The address of the resource metadata', 'discovery').href,
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
};

/** Is the resource that the metadata describe the server that was called, or what the server is a part of? */
const concerns = (resource: string, server: URL): boolean => {
  let url: URL;
  try {
    url = new URL(resource);
  } catch {
    return false;
  }
  if (url.origin !== server.origin || url.hash !== '') return false;
  const [whole, part] = [url.pathname, server.pathname].map((path) => (path.endsWith('/') ? path : `${path}/`));
  return part!.startsWith(whole!);
};

/** The places where metadata of an authorization server may be, in the order of the specification. */
const placesOf = (issuer: URL): string[] => {
  const path = issuer.pathname.replace(/\/$/, '');
  const oauth = wellKnown(issuer, 'oauth-authorization-server');
  const inserted = wellKnown(issuer, 'openid-configuration');
  return path === ''
    ? [oauth, inserted]
    : [oauth, inserted, `${issuer.origin}${path}/.well-known/openid-configuration`];
};

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const;

const LISTS = [
  'scopes_supported',
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'dpop_signing_alg_values_supported',
  'id_token_signing_alg_values_supported',
] as const;
const FLAGS = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'] as const;

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
    if (typeof value !== 'string') throw new AuthError('discovery', `${what} is no address: ${shown(value, 100)}`);
    guard.check(value, what, 'discovery');
    known[name] = value;
  }
  for (const name of LISTS) {
    const list = strings(found[name]);
    if (list !== undefined) known[name] = list;
  }
  for (const name of FLAGS) if (found[name] === true) known[name] = true;
  return known as unknown as AuthorizationServer;
}

/** Metadata of an authorization server. Their issuer has to be the one that was looked for, letter by letter (RFC 8414, section 3.3). */
export const findServer = async (
  issuer: string,
  web: Web,
  headers: Readonly<Record<string, string>> = {},
): Promise<AuthorizationServer | undefined> => {
  const url = web.guard.check(issuer, 'The authorization server', 'discovery');
  for (const place of placesOf(url)) {
    const found = await web.json(place, 'What the authorization server says about itself', headers);
    if (found === undefined) continue;
    if (found['issuer'] !== issuer)
      throw new AuthError(
        'discovery',
        `The metadata of the authorization server ${shown(issuer, 100)} are those of ${shown(found['issuer'], 100)}`,
      );
    return readServer(issuer, found, web.guard);
  }
  return undefined;
};

/** Finds out how a server is protected. The server of 2025-03-26 that is its own authorization server comes last. */
export const discoverProtection = async (
  server: URL,
  challenge: Challenge | undefined,
  web: Web,
): Promise<Protection> => {
  const found = await findResource(server, challenge, web);
  if (found === undefined) return { resource: undefined, scopes: undefined, as: await ownServer(server, web) };
  const { resource } = found;
  if (typeof resource !== 'string' || !concerns(resource, server))
    throw new AuthError(
      'discovery',
      `The server says that it protects ${shown(resource, 100)}, which is not what was called: ${server.origin}${server.pathname}`,
    );
  const [issuer] = strings(found['authorization_servers']) ?? [];
  if (issuer === undefined) throw new AuthError('discovery', 'The server names no authorization server');
  const as = await findServer(issuer, web);
  if (as === undefined)
    throw new AuthError('discovery', `The authorization server ${shown(issuer, 100)} says nothing about itself`);
  return { resource, scopes: strings(found['scopes_supported'])?.filter(isScope), as };
};

/** 2025-03-26, "Server Metadata Discovery" and "Fallbacks for Servers without Metadata Discovery". */
const ownServer = async ({ origin }: URL, web: Web): Promise<AuthorizationServer> =>
  (await findServer(origin, web, { 'mcp-protocol-version': FIRST_AUTHORIZED })) ?? {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
