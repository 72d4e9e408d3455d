// A local authorization server for development: `oidc-provider` with a login page and a consent page. It keeps everything
// in memory, and lets anyone log in as Ann or Bob without a password.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientMetadata, type Configuration, errors, type Grant, Provider } from 'oidc-provider';
import { consentPage, loginPage, problemPage } from './pages.ts';

export interface AuthorityOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** The servers that tokens can be issued for, with their scopes. */
  readonly resources: ReadonlyMap<string, readonly string[]>;
  /** Manually registered clients; others register dynamically. */
  readonly clients?: readonly ClientMetadata[];
  /** Lifetime of access tokens, in seconds. Default: 600. */
  readonly lifeS?: number;
}

export interface Authority {
  readonly issuer: string;
  close(): Promise<void>;
}

const ACCOUNTS = ['Ann', 'Bob'];
const PLACE = '/interaction/';

function configuration({ resources, clients = [], lifeS = 600 }: AuthorityOptions): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    clients: [...clients],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'dev', use: 'sig', alg: 'ES256' } as never] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `${PLACE}${uid}` },
    pkce: { required: () => true },
    responseTypes: ['code'],
    // Clients may register for the scopes that the metadata of a server names.
    scopes: [...new Set(['openid', 'offline_access', ...[...resources.values()].flat()])],
    // A client that registered for refresh tokens gets them, so that its user does not have to log in every ten minutes.
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      AccessToken: lifeS,
      IdToken: 600,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo(_, resource) {
          const scopes = resources.get(resource);
          if (scopes === undefined) throw new errors.InvalidTarget('no such server');
          return {
            scope: scopes.join(' '),
            audience: resource,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          };
        },
      },
    },
  };
}

/** The user's earlier grant, extended by what is requested now. */
async function grantOf(
  provider: Provider,
  { params, prompt, session, grantId }: Awaited<ReturnType<Provider['interactionDetails']>>,
): Promise<string> {
  const before = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant: Grant =
    before ?? new provider.Grant({ accountId: session!.accountId, clientId: params['client_id'] as string });
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
  return grant.save();
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > 10_000) throw new Error('The form is too large');
  }
  return new URLSearchParams(text);
}

/** Serves the login and the consent page. The interaction is identified by a cookie, so that other pages cannot answer for the user. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const details = await provider.interactionDetails(request, response);
  const { prompt, params, session, uid } = details;
  const action = `${PLACE}${uid}`;
  const show = (html: string): void => void response.writeHead(200, HEADERS).end(html);
  if (request.method === 'GET') {
    if (prompt.name === 'login') return show(loginPage(action, ACCOUNTS));
    const client = await provider.Client.find(params['client_id'] as string);
    return show(
      consentPage(action, {
        account: session?.accountId ?? '',
        client: client?.clientName ?? String(params['client_id']),
        redirectUri: String(params['redirect_uri']),
        scopes: new Map(Object.entries((prompt.details['missingResourceScopes'] ?? {}) as Record<string, string[]>)),
      }),
    );
  }
  const form = await formOf(request);
  const account = form.get('account') ?? '';
  if (prompt.name === 'login' && ACCOUNTS.includes(account))
    return provider.interactionFinished(request, response, { login: { accountId: account } });
  if (prompt.name === 'consent' && form.get('answer') === 'yes')
    return provider.interactionFinished(
      request,
      response,
      { consent: { grantId: await grantOf(provider, details) } },
      { mergeWithLastSubmission: true },
    );
  return provider.interactionFinished(request, response, {
    error: 'access_denied',
    error_description: 'The user declined',
  });
}

/** Starts the server. */
export async function startAuthority(options: AuthorityOptions): Promise<Authority> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configuration(options));
  // A request without a scope gets the first scope of the server (RFC 6749, section 3.3).
  provider.use((context, next) => {
    const { scope, resource } = context.query;
    const [first] = (scope === undefined && options.resources.get(String(resource))) || [];
    if (context.path === '/auth' && first !== undefined) context.query = { ...context.query, scope: first };
    return next();
  });
  const callback = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith(PLACE) !== true) return void callback(request, response);
    return void interact(provider, request, response).catch((error: Error) =>
      response.writeHead(400, HEADERS).end(problemPage(error.message)),
    );
  };
  return {
    issuer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
