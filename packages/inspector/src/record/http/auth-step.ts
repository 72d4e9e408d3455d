import type { AuthStep } from '../../trace/line.ts';

/** The OAuth step that a request is; undefined: it is not part of a login. */
export function authStepOf(method: string, path: string, query: string, body: string): AuthStep | undefined {
  if (path.startsWith('/.well-known/oauth-protected-resource')) return 'resource-metadata';
  if (/^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(path)) return 'server-metadata';
  if (path.endsWith('/.well-known/openid-configuration')) return 'server-metadata';
  if (method === 'GET' && /(?:^|[?&])response_type=/.test(query)) return 'authorization';
  if (method !== 'POST') return undefined;
  const grant = /(?:^|&)grant_type=([^&]*)/.exec(body)?.[1];
  if (grant !== undefined) return grant === 'refresh_token' ? 'refresh' : 'token';
  return /"redirect_uris"\s*:/.test(body) && !/"jsonrpc"\s*:/.test(body) ? 'registration' : undefined;
}
