// The code of docs/providers.md, word for word, with stand-ins for the providers: only the names of hosts are replaced. The shapes of the
// tokens are those on the pages of the providers that the guide links to.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { server, tool } from 'tenon';
import { type Gatekeeper, oauth } from 'tenon/auth';
import { connect, ConnectionError, type Revision } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import { clickingBrowser } from '../examples/auth/clicks.ts';
import { root } from './lib/files.ts';
import { freePort } from './lib/free-port.ts';
import { type LoginProviderShape, startLoginProvider } from './lib/login-provider.ts';
import { readPage } from './lib/snippets.ts';
import { type Claims, type IssuerShape, signingKey, startIssuer } from './lib/token-issuer.ts';

const page = readPage('docs/providers.md', readFileSync(join(root, 'docs/providers.md'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'tenon-providers-'));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
after(() => rmSync(folder, { recursive: true, force: true }));

const otherKey = signingKey();

const app = server({
  name: 'protected',
  tools: { whoami: tool({}, (_, { principal }) => `${principal!.id} ${principal!.scopes?.join(' ') ?? ''}`) },
});

/** Serves with the code of the page, in which these texts are replaced. Resolves with the URL. */
async function serve(name: string, replaced: Readonly<Record<string, string>>): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const snippet = page.snippets.find((each) => each.name === name);
  assert.ok(snippet !== undefined, `docs/providers.md has ${name}`);
  let code = snippet.lines.join('\n');
  for (const [from, to] of Object.entries({ 'https://mcp.example.com/mcp': url, ...replaced })) {
    assert.ok(code.includes(from), `${name} has ${from}`);
    code = code.replaceAll(from, to);
  }
  const file = join(folder, `${port}-${name}`);
  writeFileSync(file, code);
  const { auth } = (await import(pathToFileURL(file).href)) as { auth: Gatekeeper };
  const served = await serveHttp(app, { port, signals: false, auth, drainMs: 100 });
  after(() => served.close());
  return url;
}

interface Case {
  readonly file: string;
  /** The host in the code of the page. */
  readonly host: string;
  readonly shape: IssuerShape;
  /** The audience on the page, if it is not the URL of the server. */
  readonly audience?: string;
  /** The claims of the right token, without issuer, audience and times. */
  readonly claims: Claims;
  /** The claim that has the scopes, without the required one. */
  readonly without?: Claims;
  readonly scopes: (url: string) => string;
  /** Claims of other tokens of this provider, which are refused with 401. */
  readonly refused: (origin: string, url: string) => Readonly<Record<string, Claims>>;
}

const TENANT = 'aaaabbbb-0000-cccc-1111-dddd2222eeee';
const CLIENT = '00001111-aaaa-2222-bbbb-3333cccc4444';

const cases: Readonly<Record<string, Case>> = {
  Auth0: {
    file: 'auth0.ts',
    host: 'https://example.eu.auth0.com',
    shape: { path: '/', keys: '/.well-known/jwks.json', header: { typ: 'JWT' } },
    claims: { sub: 'auth0|123456', azp: 'my_client_id', scope: 'openid profile math', permissions: ['math', 'other'] },
    without: { scope: 'openid profile' },
    scopes: () => 'openid profile math',
    refused: (origin) => ({
      'a token for the default audience': { aud: 'https://example.com/health-api' },
      'a token of the issuer without its slash': { iss: origin },
      'a token for userinfo only': { aud: `${origin}/userinfo` },
    }),
  },
  'Auth0 with the profile of RFC 9068': {
    file: 'auth0.ts',
    host: 'https://example.eu.auth0.com',
    shape: { path: '/', keys: '/.well-known/jwks.json', header: { typ: 'at+jwt' } },
    claims: { sub: 'auth0|123456', client_id: 'my_client_id', jti: '73WakrfVbNJBaAmhQtEeDv', scope: 'math' },
    without: { scope: 'openid' },
    scopes: () => 'math',
    refused: () => ({}),
  },
  Okta: {
    file: 'okta.ts',
    host: 'https://example.okta.com',
    shape: { path: '/oauth2/default', keys: '/oauth2/default/v1/keys' },
    claims: { ver: 1, jti: 'AT.x', cid: 'client_id', uid: '00u1', scp: ['openid', 'math'], sub: 'ann@example.com' },
    without: { scp: ['openid'] },
    scopes: () => 'openid math',
    refused: (origin) => ({
      'a token of the org authorization server': { iss: origin, aud: origin },
      'a token for the audience of the default server': { aud: 'api://default' },
      'an ID token': { aud: 'client_id', jti: 'ID.x', at_hash: 'x' },
    }),
  },
  'Microsoft Entra ID': {
    file: 'entra.ts',
    host: 'https://login.microsoftonline.com',
    shape: { path: `/${TENANT}/v2.0`, keys: `/${TENANT}/discovery/v2.0/keys`, header: { typ: 'JWT' } },
    audience: CLIENT,
    claims: {
      ver: '2.0',
      tid: TENANT,
      oid: 'o',
      azp: 'c',
      azpacr: '0',
      sub: 'pairwise',
      scp: 'math',
      uti: 'u',
      rh: 'r',
    },
    without: { scp: 'User.Read' },
    scopes: (url) => `${url}/math`,
    refused: (origin, url) => ({
      'a token of version 1': { ver: '1.0', iss: `https://sts.windows.net/${TENANT}/`, aud: `api://${CLIENT}` },
      'a token with the URL as its audience': { aud: url },
      'a token of another tenant': { iss: `${origin}/99998888-0000-cccc-1111-dddd2222eeee/v2.0` },
      'a token for Microsoft Graph': { aud: '00000003-0000-0000-c000-000000000000' },
    }),
  },
  Keycloak: {
    file: 'keycloak.ts',
    host: 'https://sso.example.com',
    shape: {
      path: '/realms/company',
      keys: '/realms/company/protocol/openid-connect/certs',
      header: { typ: 'JWT' },
    },
    claims: {
      typ: 'Bearer',
      azp: 'c',
      sub: 'f:1',
      sid: 's',
      acr: '1',
      scope: 'math email',
      realm_access: { roles: [] },
    },
    without: { scope: 'email' },
    scopes: () => 'math email',
    refused: (origin) => ({
      'a token without an audience': { aud: undefined },
      'a token for the account page': { aud: 'account' },
      'a token of another realm': { iss: `${origin}/realms/other` },
    }),
  },
  'WorkOS AuthKit': {
    file: 'workos.ts',
    host: 'https://example.authkit.app',
    shape: { keys: '/oauth2/jwks' },
    claims: { sub: 'user_01', sid: 'session_01', jti: '01', org_id: 'org_01', scope: 'openid' },
    scopes: () => 'openid',
    refused: (_, url) => ({
      'a token for its own client': { aud: 'client_01' },
      'a token for the URL with a slash': { aud: `${url}/` },
    }),
  },
};

/** Calls the server with a token: who it is, or the status of the refusal. */
async function call(url: string, token: string, revision: Revision = '2026-07-28'): Promise<unknown> {
  try {
    await using client = await connect<typeof app>(url, { revision, headers: { authorization: `Bearer ${token}` } });
    return await client.call('whoami');
  } catch (error) {
    return error instanceof ConnectionError ? error.status : error;
  }
}

for (const [provider, { file, host, shape, audience, claims, without, scopes, refused }] of Object.entries(cases))
  test(`the code for ${provider} accepts the right token, and refuses every other`, async () => {
    const issuer = await startIssuer(shape);
    const url = await serve(file, { [host]: issuer.origin });
    const right = { aud: audience ?? url, ...claims };
    const found = `${issuer.issuer}|${String(claims['sub'])} ${scopes(url)}`;
    for (const revision of ['2026-07-28', '2025-11-25'] as const)
      assert.equal(await call(url, issuer.sign(right), revision), found);
    // The token may have further audiences.
    assert.equal(await call(url, issuer.sign({ ...right, aud: ['other', right.aud] })), found);

    const past = Math.floor(Date.now() / 1_000) - 3_600;
    const others: Readonly<Record<string, Claims>> = {
      ...refused(issuer.origin, url),
      'a token for another server': { aud: 'https://other.example.com/mcp' },
      'a token of another issuer': { iss: 'https://evil.example.com' },
      'an expired token': { exp: past },
      'a token that does not expire': { exp: undefined },
    };
    for (const [what, different] of Object.entries(others))
      assert.equal(await call(url, issuer.sign({ ...right, ...different })), 401, what);
    const forged = otherKey.sign({ iss: issuer.issuer, ...right }, shape.header);
    assert.equal(await call(url, forged), 401, 'a token that is signed by another key');
    assert.equal(await call(url, 'eyJ.opaque-or-encrypted'), 401, 'a token that is not a JWT');
    if (without !== undefined) assert.equal(await call(url, issuer.sign({ ...right, ...without })), 403);

    const { headers } = await fetch(url, { method: 'POST' });
    const challenge = headers.get('www-authenticate') ?? '';
    const [, place = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const metadata = (await (await fetch(place)).json()) as { resource: string; authorization_servers: string[] };
    assert.deepEqual([metadata.resource, metadata.authorization_servers], [url, [issuer.issuer]]);
    // Clients ask for the scope in the form that the provider understands.
    const wanted = without === undefined ? undefined : audience === undefined ? 'math' : `${url}/math`;
    assert.equal(/scope="([^"]+)"/.exec(challenge)?.[1], wanted);
  });

interface LoginCase {
  /** The hosts in the code of the page. */
  readonly hosts: readonly string[];
  readonly shape: LoginProviderShape;
  readonly variables: readonly [id: string, secret: string];
  /** The parameters of the authorization request that the provider needs. */
  readonly needed: Readonly<Record<string, string>>;
}

const logins: Readonly<Record<string, LoginCase>> = {
  'google.ts': {
    hosts: ['https://accounts.google.com'],
    shape: { path: '', authorize: '/o/oauth2/v2/auth', token: '/token', claims: { hd: 'example.com' } },
    variables: ['GOOGLE_ID', 'GOOGLE_SECRET'],
    needed: { access_type: 'offline', prompt: 'consent', scope: 'openid email' },
  },
  'github.ts': {
    hosts: ['https://github.com', 'https://api.github.com'],
    shape: {
      path: '',
      authorize: '/login/oauth/authorize',
      token: '/login/oauth/access_token',
      claims: { login: 'ann' },
      user: '/user',
    },
    variables: ['GITHUB_ID', 'GITHUB_SECRET'],
    needed: { scope: 'read:user' },
  },
  'entra-proxy.ts': {
    hosts: ['https://login.microsoftonline.com'],
    shape: {
      path: `/${TENANT}/v2.0`,
      authorize: `/${TENANT}/oauth2/v2.0/authorize`,
      token: `/${TENANT}/oauth2/v2.0/token`,
      claims: { ver: '2.0', tid: TENANT },
    },
    variables: ['ENTRA_ID', 'ENTRA_SECRET'],
    needed: { scope: 'openid email offline_access' },
  },
};

for (const [file, { hosts, shape, variables, needed }] of Object.entries(logins))
  test(`a program registers with the server of ${file}, and its user logs in at the provider`, async (t) => {
    const provider = await startLoginProvider(shape);
    const before = { ...process.env };
    t.after(() => void (process.env = before));
    const values = {
      [variables[0]]: 'by-hand',
      [variables[1]]: 'a secret',
      KEY: 'thirty-two characters, or even more',
    };
    Object.assign(process.env, values);
    const origin = provider.issuer.slice(0, provider.issuer.length - shape.path.length);
    const origins = Object.fromEntries(hosts.map((host) => [host, origin]));
    const url = await serve(file, { ...origins, 'sqlite:./logins.db': `sqlite:${join(folder, file)}.db` });
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      const auth = oauth({ name: 'Editor', browser: clickingBrowser(['yes']) });
      const eras = { get: () => undefined, set() {}, delete() {} };
      await using client = await connect<typeof app>(url, { revision, eras, auth });
      assert.equal(await client.call('whoami'), `${new URL(url).origin}|1234567890 `);
    }
    const [asked, exchanged] = provider.requests;
    assert.equal(asked!.get('redirect_uri'), `${new URL(url).origin}/callback`);
    for (const [name, value] of Object.entries(needed)) assert.equal(asked!.get(name), value, name);
    assert.equal(exchanged!.get('code'), 'code');
    // A token of the provider is not a token of the server.
    assert.equal(await call(url, 'ya29.opaque'), 401);
  });
