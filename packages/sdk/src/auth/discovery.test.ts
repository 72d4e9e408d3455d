// Discovery of a client: where it finds metadata, and how it identifies itself, against a web that is a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseChallenges } from './challenge.ts';
import { createUrlGuard } from './url-guard.ts';
import { createTokenManager } from './token-manager.ts';
import { discoverProtection } from './metadata.ts';
import { clientDocument, getClient } from './registration.ts';
import { oauth } from './oauth.ts';
import { memoryTokens } from './tokens.ts';
import { userSource } from './user-flow.ts';
import { createWeb } from './web.ts';

const SERVER = new URL('https://mcp.example.com/team/mcp');
const AS = 'https://as.example.com';

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** A web of JSON documents; everything else is 404. */
function table(documents: Readonly<Record<string, unknown>>) {
  const sent: Sent[] = [];
  const fetch = (async (input: string, init: RequestInit = {}) => {
    sent.push({ url: input, init });
    const found = documents[input];
    const value: unknown = typeof found === 'function' ? found(init) : found;
    if (value instanceof Response) return value;
    return value === undefined ? new Response('', { status: 404 }) : Response.json(value);
  }) as typeof globalThis.fetch;
  return { sent, fetch, urls: () => sent.map(({ url }) => url), web: createWeb(createUrlGuard(SERVER), fetch) };
}

function metadata(issuer: string, more: object = {}) {
  return {
    issuer,
    authorization_endpoint: `${AS}/authorize`,
    token_endpoint: `${AS}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    ...more,
  };
}
function prm(issuer = AS, more: object = {}) {
  return { resource: SERVER.href, authorization_servers: [issuer], ...more };
}

test('[AUTH-20] resource metadata: where the header says, else beside the path, else at the root', async () => {
  const root = 'https://mcp.example.com/.well-known/oauth-protected-resource';
  const as = { [`${AS}/.well-known/oauth-authorization-server`]: metadata(AS) };
  const [challenge] = parseChallenges('Bearer resource_metadata="https://mcp.example.com/custom/place.json"');
  const named = table({ ...as, 'https://mcp.example.com/custom/place.json': prm() });
  await discoverProtection(SERVER, challenge, named.web);
  assert.equal(named.urls()[0], 'https://mcp.example.com/custom/place.json');
  assert.equal(named.urls().length, 2);
  const atRoot = table({ ...as, [root]: prm(AS, { resource: 'https://mcp.example.com' }) });
  const { resource } = await discoverProtection(SERVER, undefined, atRoot.web);
  assert.deepEqual(atRoot.urls().slice(0, 2), [`${root}/team/mcp`, root]);
  assert.equal(resource, 'https://mcp.example.com', 'as it was written');
  const tenant = table({ ...as, [`${root}/team/mcp?a=1&b`]: prm() });
  await discoverProtection(new URL(`${SERVER.href}?a=1&b`), undefined, tenant.web);
  assert.equal(tenant.urls()[0], `${root}/team/mcp?a=1&b`);
});

test('[AUTH-25, AUTH-26] metadata of an authorization server: three places with a path, two without, in order', async () => {
  const place = 'https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp';
  const tenant = table({
    [place]: prm(`${AS}/tenant`),
    [`${AS}/tenant/.well-known/openid-configuration`]: metadata(`${AS}/tenant`),
  });
  await discoverProtection(SERVER, undefined, tenant.web);
  assert.deepEqual(tenant.urls().slice(1), [
    `${AS}/.well-known/oauth-authorization-server/tenant`,
    `${AS}/.well-known/openid-configuration/tenant`,
    `${AS}/tenant/.well-known/openid-configuration`,
  ]);
  const plain = table({ [place]: prm(), [`${AS}/.well-known/openid-configuration`]: metadata(AS) });
  await discoverProtection(SERVER, undefined, plain.web);
  assert.deepEqual(plain.urls().slice(1), [
    `${AS}/.well-known/oauth-authorization-server`,
    `${AS}/.well-known/openid-configuration`,
  ]);
});

test('[AUTH-4, AUTH-5, AUTH-6, AUTH-7, AUTH-8] a server of 2025-03-26 is its own authorization server, with metadata at its root or at the usual places', async () => {
  const origin = 'https://mcp.example.com';
  const told = table({ [`${origin}/.well-known/oauth-authorization-server`]: metadata(origin) });
  const own = await discoverProtection(SERVER, undefined, told.web);
  assert.deepEqual([own.resource, own.as.token_endpoint], [undefined, `${AS}/token`]);
  const asked = told.sent.find(({ url }) => url.endsWith('/oauth-authorization-server'))!;
  assert.equal(new Headers(asked.init.headers).get('mcp-protocol-version'), '2025-03-26');
  const { as } = await discoverProtection(SERVER, undefined, table({}).web);
  assert.deepEqual(
    [as.authorization_endpoint, as.token_endpoint, as.registration_endpoint],
    [`${origin}/authorize`, `${origin}/token`, `${origin}/register`],
  );
});

test('[AUTH-74, AUTH-75] the resource of a server may have its host in upper case, with or without a trailing slash', async () => {
  const place = 'https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp';
  const as = { [`${AS}/.well-known/oauth-authorization-server`]: metadata(AS) };
  for (const resource of [
    'https://MCP.example.com/team/mcp',
    'HTTPS://mcp.example.com/team/mcp/',
    'https://mcp.example.com/team',
  ])
    assert.equal(
      (await discoverProtection(SERVER, undefined, table({ ...as, [place]: prm(AS, { resource }) }).web)).resource,
      resource,
    );
  for (const resource of [
    'https://evil.example/team/mcp',
    'https://mcp.example.com/team/mcp#x',
    'https://mcp.example.com/tea',
    'x',
    7,
  ])
    await assert.rejects(discoverProtection(SERVER, undefined, table({ ...as, [place]: prm(AS, { resource }) }).web), {
      step: 'discovery',
    });
});

test('a resource is refused unless it is written in the form in which it is compared, because it is sent as it is', async () => {
  const place = 'https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp';
  const as = { [`${AS}/.well-known/oauth-authorization-server`]: metadata(AS) };
  const find = (resource: string, server = SERVER, at = place) =>
    discoverProtection(server, undefined, table({ ...as, [at]: prm(AS, { resource }) }).web);
  for (const resource of [
    'https://mcp.example.com:443/team/mcp',
    'https://mcp.example.com',
    'https://MCP.example.com/',
  ])
    assert.equal((await find(resource)).resource, resource);
  for (const resource of [
    'https://ann@mcp.example.com/team/mcp',
    'https://ann:secret@mcp.example.com/team/mcp',
    'https://@mcp.example.com/team/mcp',
    'https://mcp.example.com/team/mcp#',
    'https://mcp.example.com/team/mcp#x',
    'https://mcp.example.com/team/mcp?',
    'https://mcp.example.com/team/mcp?tenant=1',
    'https://mcp.example.com\\team\\mcp',
    'https:\\\\mcp.example.com/team/mcp',
    'https:/mcp.example.com/team/mcp',
    'https:mcp.example.com/team/mcp',
    'https:///mcp.example.com/team/mcp',
    ' https://mcp.example.com/team/mcp',
    'https://mcp.example.com/team/mcp ',
    'https://mcp.example.com/team/m\ncp',
    'https://mcp.example.com/te\tam/mcp',
    'https://mcp.example.com/team/mcp\u0000',
    'https://mcp.example.com/other/../team/mcp',
    'https://mcp.example.com/./team/mcp',
    'https://mcp.example.com/other/%2e%2e/team',
    'https://mcp%2eexample.com/team/mcp',
    'https://mcp.example.com./team/mcp',
    'https://mcp.example.com:0443/team/mcp',
    'https://mcp。example.com/team/mcp',
    'http://mcp.example.com/team/mcp',
    'https://mcp.example.com:8443/team/mcp',
    'urn:mcp:team',
  ])
    await assert.rejects(find(resource), { code: 'wrong-resource', step: 'discovery' }, resource);
  // A query is part of the resource only if it is part of the server's URL.
  const tenant = new URL('https://mcp.example.com/team/mcp?tenant=1');
  for (const resource of [tenant.href, 'https://mcp.example.com/team/mcp', 'https://mcp.example.com'])
    assert.equal((await find(resource, tenant, `${place}?tenant=1`)).resource, resource);
  for (const resource of ['https://mcp.example.com/team/mcp?tenant=2', 'https://mcp.example.com/team/mcp?'])
    await assert.rejects(find(resource, tenant, `${place}?tenant=1`), { code: 'wrong-resource' }, resource);
});

test('no request is sent to an issuer with a query or a fragment', async () => {
  const place = 'https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp';
  for (const issuer of [`${AS}?tenant=1`, `${AS}/x?`, `${AS}/#`, `${AS}/a#b`]) {
    const web = table({ [place]: prm(issuer) });
    await assert.rejects(discoverProtection(SERVER, undefined, web.web), { code: 'unsafe-address' }, issuer);
    assert.deepEqual(web.urls(), [place]);
  }
});

const REGISTRATION = {
  client: undefined,
  metadataUrl: undefined,
  name: 'Test',
  redirectUri: 'http://127.0.0.1:1/callback',
};

test('[AUTH-31, AUTH-33, AUTH-44, AUTH-45, AUTH-46] a client uses its registered id, else its metadata document where supported, else dynamic registration', async () => {
  const as = { ...metadata(AS), registration_endpoint: `${AS}/register` };
  const { web, sent } = table({ [`${AS}/register`]: { client_id: 'made' } });
  const document = 'https://client.example/client.json';
  const known = { ...REGISTRATION, client: { id: 'known' }, metadataUrl: document };
  assert.equal((await getClient(as, known, undefined, web)).id, 'known');
  const told = { ...REGISTRATION, metadataUrl: document };
  assert.equal(
    (await getClient({ ...as, client_id_metadata_document_supported: true }, told, undefined, web)).id,
    document,
  );
  assert.equal(sent.length, 0);
  assert.equal((await getClient(as, told, undefined, web)).id, 'made');
  const { registration_endpoint: _, ...closed } = as;
  await assert.rejects(getClient(closed, told, undefined, web), {
    name: 'AuthError',
    step: 'registration',
    message: /`client`/,
  });
});

test('[AUTH-47, AUTH-48, AUTH-87, AUTH-104, AUTH-109] a registration contains the application type and the one redirect URI', async () => {
  for (const [redirectUri, type] of [
    ['http://127.0.0.1:1/callback', 'native'],
    ['http://localhost/callback', 'native'],
    ['com.example.app:/callback', 'native'],
    ['https://app.example.com/callback', 'web'],
  ] as const) {
    const { web, sent } = table({ [`${AS}/register`]: { client_id: 'made' } });
    const as = { ...metadata(AS), registration_endpoint: `${AS}/register` };
    await getClient(as, { ...REGISTRATION, redirectUri }, undefined, web);
    const body = JSON.parse(String(sent[0]!.init.body)) as Record<string, unknown>;
    assert.equal(body['application_type'], type);
    assert.deepEqual(body['redirect_uris'], [redirectUri]);
    assert.deepEqual(body['grant_types'], ['authorization_code', 'refresh_token']);
  }
});

test('[AUTH-49, AUTH-50] the error of a refused registration contains the reason and the redirect URI', async () => {
  const refusal = { error: 'invalid_redirect_uri', error_description: 'https only' };
  const { web } = table({ [`${AS}/register`]: () => Response.json(refusal, { status: 400 }) });
  const as = { ...metadata(AS), registration_endpoint: `${AS}/register` };
  await assert.rejects(getClient(as, REGISTRATION, undefined, web), {
    code: 'refused',
    step: 'registration',
    oauthError: 'invalid_redirect_uri',
    message: /127\.0\.0\.1:1\/callback.*https only/,
  });
});

test("[AUTH-36, AUTH-37] a client metadata document contains its own URL as client id, the client's name and its redirect URIs", () => {
  const url = 'https://client.example/client.json';
  const document = JSON.parse(
    clientDocument(url, { name: 'Editor', redirectUris: ['http://127.0.0.1/callback'] }),
  ) as Record<string, unknown>;
  assert.equal(document['client_id'], url);
  assert.equal(document['client_name'], 'Editor');
  assert.deepEqual(document['redirect_uris'], ['http://127.0.0.1/callback']);
  assert.equal(document['application_type'], 'native');
  assert.equal(document['token_endpoint_auth_method'], 'none');
  for (const wrong of ['http://client.example/x', 'https://client.example/', 'https://client.example/x#y'])
    assert.throws(() => clientDocument(wrong, { name: 'x', redirectUris: ['http://127.0.0.1/'] }), TypeError);
  assert.throws(() => clientDocument(url, { name: 'x', redirectUris: [] }), TypeError);
});

test('[AUTH-34, AUTH-35] a client id that is a URL is https and has a path', () => {
  const browser = { open: () => Promise.reject(new Error('not needed')) };
  for (const metadataUrl of ['http://client.example/x', 'https://client.example/', 'https://client.example'])
    assert.throws(() => oauth({ browser, metadataUrl }), TypeError);
  assert.ok(oauth({ browser, metadataUrl: 'https://client.example/client.json' }));
});

/** Logs in once with the challenge and metadata of a server, and returns the URL that was opened. */
async function pageFor(challenge: string, more: { resource?: object; as?: object; scopes?: readonly string[] } = {}) {
  let page: URL | undefined;
  const { fetch, sent } = table({
    'https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp': prm(AS, more.resource),
    [`${AS}/.well-known/oauth-authorization-server`]: metadata(AS, {
      registration_endpoint: `${AS}/register`,
      ...more.as,
    }),
    [`${AS}/register`]: { client_id: 'made' },
    [`${AS}/token`]: { access_token: 'token', token_type: 'bearer' },
  });
  const browser = {
    open: () => ({
      redirectUri: 'http://127.0.0.1:1/callback',
      authorize(url: URL) {
        page = url;
        return Promise.resolve(`http://127.0.0.1:1/callback?code=c&state=${url.searchParams.get('state')}`);
      },
      close() {},
    }),
  };
  const keeper = createTokenManager({
    source: userSource(browser, { client: undefined, metadataUrl: undefined, name: 'Test' }),
    store: memoryTokens(),
    scopes: more.scopes ?? [],
    dpop: true,
    fetch,
  });
  const again = await keeper.challenged({
    status: 401,
    challenge,
    server: SERVER.href,
    method: 'POST',
    url: SERVER.href,
    sent: {},
    attempt: 0,
    header: () => undefined,
  });
  assert.equal(again, true);
  assert.deepEqual(await keeper.credentials({ server: SERVER.href, method: 'POST', url: SERVER.href }), {
    authorization: 'Bearer token',
  });
  return { page: page!, token: new URLSearchParams(String(sent.at(-1)!.init.body)) };
}

test('[AUTH-56, AUTH-59, AUTH-60] scopes are those of the challenge, else those of the metadata, else none', async () => {
  const scopeOf = async (...args: Parameters<typeof pageFor>): Promise<string | null> =>
    (await pageFor(...args)).page.searchParams.get('scope');
  const resource = { scopes_supported: ['a', 'b'] };
  assert.equal(await scopeOf('Bearer scope="x"', { resource }), 'x');
  assert.equal(await scopeOf('Bearer', { resource }), 'a b');
  assert.equal(await scopeOf('Bearer'), null);
  assert.equal(await scopeOf('Bearer scope="x"', { scopes: ['y'] }), 'x y');
});

test('[AUTH-88, AUTH-89] offline_access is requested where it is supported, and login works without a refresh token', async () => {
  const { page } = await pageFor('Bearer scope="x"', { as: { scopes_supported: ['x', 'offline_access'] } });
  assert.equal(page.searchParams.get('scope'), 'x offline_access');
});

test('[AUTH-10, AUTH-72, AUTH-73] PKCE and the resource are part of every login, even if the authorization server ignores them', async () => {
  const { page, token } = await pageFor('Bearer');
  assert.equal(page.searchParams.get('resource'), SERVER.href);
  assert.equal(token.get('resource'), SERVER.href);
  assert.equal(page.searchParams.get('code_challenge_method'), 'S256');
  assert.ok(token.get('code_verifier'));
});

test('[A-62] [SECU-15] redirects are not followed, and responses that are too large are not read', async () => {
  const place = 'https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp';
  for (const location of ['http://169.254.169.254/latest', 'https://elsewhere.example/x', 'http://127.0.0.1/x']) {
    const { web, urls } = table({ [place]: () => new Response(null, { status: 302, headers: { location } }) });
    await assert.rejects(discoverProtection(SERVER, undefined, web), { name: 'AuthError' });
    assert.equal(urls().length, 1);
  }
  const { web } = table({ [place]: () => new Response('x'.repeat(2_000_000)) });
  await assert.rejects(discoverProtection(SERVER, undefined, web), /larger than/);
});
