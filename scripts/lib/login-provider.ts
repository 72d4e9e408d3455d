// An identity provider at which a program was registered by hand, and whose users are always logged in: as Google and Microsoft Entra ID
// publish themselves, without registration of programs, and with opaque access tokens; or as GitHub, without OpenID Connect.

import { listen, signingKey } from './token-issuer.ts';

/** A running identity provider. */
export interface LoginProvider {
  readonly issuer: string;
  /** The parameters of the authorization requests, and of the token requests. */
  readonly requests: readonly URLSearchParams[];
}

/** What comes after the origin in the addresses of the provider. */
export interface LoginProviderShape {
  readonly path: string;
  readonly authorize: string;
  readonly token: string;
  /** The claims of the user besides `sub`. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Without OpenID Connect: where the API of the provider says who the user is. */
  readonly user?: string;
}

/** Starts an identity provider that ends with the test file. */
export async function startLoginProvider(shape: LoginProviderShape): Promise<LoginProvider> {
  const key = signingKey();
  const requests: URLSearchParams[] = [];
  let nonce: string | null = null;
  const origin: string = await listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const reply = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === shape.user) {
      const isKnown = request.headers.authorization === 'Bearer ya29.opaque';
      return isKnown ? reply({ id: 1_234_567_890, ...shape.claims }) : reply({ message: 'Bad credentials' }, 401);
    }
    if (pathname === `${shape.path}/.well-known/openid-configuration` && shape.user === undefined) {
      const endpoints = { authorization_endpoint: origin + shape.authorize, token_endpoint: origin + shape.token };
      const methods = { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] };
      return reply({
        issuer,
        ...endpoints,
        ...methods,
        jwks_uri: `${origin}/keys`,
        response_types_supported: ['code'],
      });
    }
    if (pathname === '/keys') return reply(key.jwks);
    if (pathname === shape.authorize) {
      requests.push(searchParams);
      nonce = searchParams.get('nonce');
      const back = new URL(searchParams.get('redirect_uri')!);
      back.search = String(new URLSearchParams({ code: 'code', state: searchParams.get('state')! }));
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname !== shape.token) return reply({}, 404);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const form = new URLSearchParams(body);
    requests.push(form);
    if (shape.user !== undefined) {
      const token = { access_token: 'ya29.opaque', scope: 'read:user', token_type: 'bearer' };
      if (request.headers.accept?.includes('application/json') === true) return reply(token);
      return void response
        .writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' })
        .end(String(new URLSearchParams(token)));
    }
    const user = { sub: '1234567890', nonce, ...shape.claims };
    return reply({
      access_token: 'ya29.opaque',
      token_type: 'Bearer',
      expires_in: 3599,
      refresh_token: requests[0]?.get('access_type') === 'online' ? undefined : 'refresh',
      id_token: key.sign({ iss: issuer, aud: requests[0]?.get('client_id'), ...user }),
    });
  });
  const issuer = `${origin}${shape.path}`;
  return { issuer, requests };
}
