// An authorization server on a real port, for tests: every user is logged in as Ann, immediately. It records its requests.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Browser } from '../../src/entries/auth.ts';

export interface Asked {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly authorization: string | undefined;
}

export interface Authority {
  readonly issuer: string;
  readonly jwks: { readonly keys: JWK[] };
  readonly asked: readonly Asked[];
  count(path: string): number;
  /** How many refresh tokens have been used. */
  spent(): number;
  /** Issues a token. */
  token(claims?: Record<string, unknown>, options?: { readonly expiresIn?: number }): Promise<string>;
  /** A user who accepts. */
  readonly browser: Browser;
}

export interface AuthorityOptions {
  readonly metadata?: Record<string, unknown>;
  /** The lifetime of a token, in seconds. */
  readonly lifeS?: number;
  /** Changes the redirect of the user. */
  readonly answer?: (back: URL) => void;
  readonly refuseRefresh?: boolean;
  readonly tokenDelayMs?: number;
  /** Runs before a refresh is answered. */
  readonly beforeRefresh?: () => Promise<unknown>;
  /** Replaces the response of the token endpoint; undefined for the usual response. */
  readonly token?: (
    params: URLSearchParams,
    headers: IncomingMessage['headers'],
  ) => [number, object, Record<string, string>?] | undefined;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return (await request.toArray()).join('');
}

export async function authority(options: AuthorityOptions = {}): Promise<Authority> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] };
  const asked: Asked[] = [];
  const codes = new Map<string, { scope: string; resource: string | null }>();
  const refreshTokens = new Map<string, { scope: string; resource: string | null }>();
  let issuer = '';
  let last = 0;
  let spent = 0;
  const token: Authority['token'] = (claims = {}, { expiresIn = options.lifeS ?? 3_600 } = {}) => {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({
      sub: 'ann',
      client_id: 'c',
      iss: issuer,
      iat: now,
      exp: now + expiresIn,
      jti: String(++last),
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
      .sign(privateKey);
  };
  const grant = async (scope: string, resource: string | null): Promise<object> => {
    const refresh = `refresh-${++last}`;
    refreshTokens.set(refresh, { scope, resource });
    return {
      access_token: await token({ scope, ...(resource === null ? {} : { aud: resource }) }),
      token_type: 'Bearer',
      expires_in: options.lifeS ?? 3_600,
      refresh_token: refresh,
      ...(scope === '' ? {} : { scope }),
    };
  };
  const answer = async (path: string, params: URLSearchParams, text: string): Promise<[number, object, string?]> => {
    if (path.startsWith('/.well-known/'))
      return [
        path === '/.well-known/oauth-authorization-server' ? 200 : 404,
        {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          ...options.metadata,
        },
      ];
    if (path === '/jwks') return [200, jwks];
    if (path === '/register')
      return [201, { ...(JSON.parse(text) as object), client_id: `client-${crypto.randomUUID()}` }];
    if (path === '/authorize') {
      const code = `code-${++last}`;
      codes.set(code, { scope: params.get('scope') ?? '', resource: params.get('resource') });
      const back = new URL(params.get('redirect_uri')!);
      back.searchParams.set('code', code);
      back.searchParams.set('state', params.get('state')!);
      options.answer?.(back);
      return [302, {}, back.href];
    }
    if (params.get('grant_type') === 'authorization_code') {
      const found = codes.get(params.get('code')!);
      codes.delete(params.get('code')!);
      return found === undefined ? [400, { error: 'invalid_grant' }] : [200, await grant(found.scope, found.resource)];
    }
    await new Promise((resolve) => setTimeout(resolve, options.tokenDelayMs ?? 0));
    await options.beforeRefresh?.();
    const found = refreshTokens.get(params.get('refresh_token') ?? '');
    if (refreshTokens.delete(params.get('refresh_token') ?? '')) spent++;
    if (found === undefined || options.refuseRefresh === true)
      return [400, { error: 'invalid_grant', error_description: 'spent' }];
    return [200, await grant(found.scope, found.resource)];
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const text = await bodyOf(request);
    const params = request.method === 'POST' ? new URLSearchParams(text) : searchParams;
    asked.push({ path: pathname, params, authorization: request.headers.authorization });
    const other = pathname === '/token' ? options.token?.(params, request.headers) : undefined;
    if (other !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, options.tokenDelayMs ?? 0));
      if (params.get('grant_type') === 'refresh_token') await options.beforeRefresh?.();
      response.writeHead(other[0], { 'content-type': 'application/json', ...other[2] });
      return void response.end(JSON.stringify(other[1]));
    }
    const [status, body, location] = await answer(pathname, params, text);
    response.writeHead(status, { 'content-type': 'application/json', ...(location === undefined ? {} : { location }) });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    jwks,
    asked,
    count: (path) => asked.filter((one) => one.path === path).length,
    spent: () => spent,
    token,
    browser: {
      open: () => ({
        redirectUri: 'http://127.0.0.1:7777/callback',
        authorize: async (url) => (await fetch(url, { redirect: 'manual' })).headers.get('location')!,
        close() {},
      }),
    },
  };
}
