// Programs without a user, against a web that is a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { exportJWK, generateKeyPair, jwtVerify } from 'jose';
import type { ClientAuth } from '../protocol/client-auth.ts';
import { type AuthOptions, clientCredentials, enterpriseManaged, oauth, workloadIdentity } from './oauth.ts';

const SERVER = 'https://mcp.example.com/mcp';
const AS = 'https://as.example.com';
const IDP = 'https://idp.example.com';

interface Asked {
  readonly url: string;
  readonly form: URLSearchParams;
  readonly authorization: string | null;
}

/** A web with a server, its authorization server, and an identity provider. */
function web(issuer = AS, answer: (asked: Asked) => Response | undefined = () => undefined) {
  const asked: Asked[] = [];
  const fetch = (async (input: string, init: RequestInit = {}) => {
    if (input === 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp')
      return Response.json({ resource: SERVER, authorization_servers: [issuer] });
    if (input === `${issuer}/.well-known/oauth-authorization-server`)
      return Response.json({
        issuer,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt', 'none'],
      });
    if (init.method !== 'POST') return new Response('', { status: 404 });
    const form = new URLSearchParams(String(init.body));
    const one = { url: input, form, authorization: new Headers(init.headers).get('authorization') };
    asked.push(one);
    const given = answer(one);
    if (given !== undefined) return given;
    if (input === `${IDP}/token`)
      return Response.json({
        access_token: 'ID-JAG',
        token_type: 'N_A',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      });
    return Response.json({ access_token: 'ACCESS', token_type: 'Bearer', expires_in: 60 });
  }) as typeof globalThis.fetch;
  return { asked, fetch };
}

const refusal = {
  server: SERVER,
  method: 'POST',
  url: SERVER,
  status: 401,
  challenge: 'Bearer scope="notes"',
  header: () => undefined,
  sent: {},
  attempt: 0,
};

/** Requests a token, and returns the header that contains it. */
async function token(auth: ClientAuth): Promise<string | undefined> {
  await auth.credentials({ server: SERVER, method: 'POST', url: SERVER });
  await auth.challenged(refusal as never);
  return (await auth.credentials({ server: SERVER, method: 'POST', url: SERVER }))['authorization'];
}

const PROVIDER = {
  issuer: IDP,
  tokenEndpoint: `${IDP}/token`,
  client: { id: 'at-idp', secret: 'IDP-SECRET' },
  idToken: () => 'ID-TOKEN',
};
function enterprise(options: AuthOptions): ClientAuth {
  return enterpriseManaged({ ...options, client: { id: 'app', secret: 'SECRET', issuer: AS }, provider: PROVIDER });
}

test('[EXT-37, EXT-38] a program sends its secret to its authorization server, for a token of its server', async () => {
  const { fetch, asked } = web();
  const auth = clientCredentials({ fetch, client: { id: 'nightly', secret: 'SECRET', issuer: AS } });
  assert.equal(await token(auth), 'Bearer ACCESS');
  const [{ url, form, authorization }] = asked as [Asked];
  assert.equal(url, `${AS}/token`);
  assert.deepEqual(Object.fromEntries(form), { grant_type: 'client_credentials', scope: 'notes', resource: SERVER });
  assert.equal(authorization, `Basic ${btoa('nightly:SECRET')}`);
});

test('a program that is registered for its secret in the body sends it there, and from then on at once', async () => {
  const { fetch, asked } = web(AS, ({ authorization }) =>
    authorization === null ? undefined : Response.json({ error: 'invalid_client' }, { status: 401 }),
  );
  const metadata = async (...[input, init]: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    const answer = await fetch(input, init);
    if (!String(input).includes('oauth-authorization-server')) return answer;
    const { token_endpoint_auth_methods_supported: _, ...rest } = (await answer.json()) as Record<string, unknown>;
    return Response.json(rest);
  };
  const auth = clientCredentials({ fetch: metadata, client: { id: 'nightly', secret: 'SECRET', issuer: AS } });
  assert.equal(await token(auth), 'Bearer ACCESS');
  await auth.challenged({ ...refusal, sent: { authorization: 'Bearer ACCESS' } } as never);
  assert.deepEqual(
    asked.map(({ form, authorization }) => authorization ?? form.get('client_secret')),
    [`Basic ${btoa('nightly:SECRET')}`, 'SECRET', 'SECRET'],
  );
});

test("[EXT-38, EXT-42] a program's assertion is for its authorization server only, and its private key is never sent", async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { fetch, asked } = web();
  const key = { key: (await exportJWK(privateKey)) as Record<string, unknown>, algorithm: 'ES256', id: 'k1' };
  const auth = clientCredentials({ fetch, client: { id: 'nightly', key, issuer: AS } });
  assert.equal(await token(auth), 'Bearer ACCESS');
  const { form, authorization } = asked[0]!;
  const { payload, protectedHeader } = await jwtVerify(form.get('client_assertion')!, publicKey, { audience: AS });
  assert.deepEqual([payload.iss, payload.sub, protectedHeader.kid], ['nightly', 'nightly', 'k1']);
  assert.ok(payload.exp! - payload.iat! <= 60 && payload.jti !== undefined);
  assert.equal(authorization, null);
});

test('a workload sends the token of its platform, which is read again each time', async () => {
  const { fetch, asked } = web();
  let count = 0;
  const auth = workloadIdentity({ fetch, issuer: AS, assertion: () => `PLATFORM-${++count}` });
  assert.equal(await token(auth), 'Bearer ACCESS');
  await auth.challenged({ ...refusal, sent: { authorization: 'Bearer ACCESS' } } as never);
  assert.deepEqual(
    asked.map(({ form }) => Object.fromEntries(form)),
    [1, 2].map((index) => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `PLATFORM-${index}`,
      scope: 'notes',
      resource: SERVER,
    })),
  );
});

test('[EXT-43, EXT-44, EXT-45] enterprise-managed authorization: the identity provider issues a grant for the authorization server and the resource to the authenticated client', async () => {
  const { fetch, asked } = web();
  assert.equal(await token(enterprise({ fetch })), 'Bearer ACCESS');
  const [exchange, grant] = asked as [Asked, Asked];
  assert.equal(exchange.url, `${IDP}/token`);
  assert.equal(exchange.authorization, `Basic ${btoa('at-idp:IDP-SECRET')}`);
  assert.deepEqual(Object.fromEntries(exchange.form), {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'ID-TOKEN',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    audience: AS,
    resource: SERVER,
    scope: 'notes',
  });
  assert.deepEqual([grant.url, grant.form.get('assertion')], [`${AS}/token`, 'ID-JAG']);
  assert.equal(grant.authorization, `Basic ${btoa('app:SECRET')}`);
});

test('[A-66] credentials of a program are sent only to the authorization server they are for', async () => {
  const evil = 'https://evil.example.com';
  const key = { key: 'never read', algorithm: 'ES256' };
  for (const make of [
    (options: AuthOptions) =>
      clientCredentials({ ...options, client: { id: 'nightly', secret: 'SECRET', issuer: AS } }),
    (options: AuthOptions) => clientCredentials({ ...options, client: { id: 'nightly', key, issuer: AS } }),
    (options: AuthOptions) => workloadIdentity({ ...options, issuer: AS, assertion: 'PLATFORM' }),
    enterprise,
  ]) {
    const { fetch, asked } = web(evil);
    await assert.rejects(token(make({ fetch })), { name: 'AuthError', step: 'registration', message: /evil\.example/ });
    assert.equal(asked.length, 0);
  }
});

test('secrets require the issuer they are for', () => {
  const browser = { open: () => Promise.reject(new Error('never')) };
  for (const make of [
    () => clientCredentials({ client: { id: 'nightly', secret: 'SECRET' } }),
    () => workloadIdentity({ assertion: 'PLATFORM' } as never),
    () => enterpriseManaged({ client: { id: 'app', secret: 'SECRET' }, provider: PROVIDER }),
    () => oauth({ browser, client: { id: 'app', secret: 'SECRET' } }),
  ])
    assert.throws(make, { name: 'TypeError', message: /`issuer`/ });
  oauth({ browser, client: { id: 'public' } });
});

test('[EXT-58] secrets are only sent over https', async () => {
  const { fetch, asked } = web();
  const provider = { ...PROVIDER, tokenEndpoint: 'http://idp.example.com/token' };
  const auth = enterpriseManaged({ fetch, client: { id: 'app', secret: 'SECRET', issuer: AS }, provider });
  await assert.rejects(token(auth), { name: 'AuthError', message: /HTTPS/ });
  assert.equal(asked.length, 0);
});

test('[EXT-59] no grant and no token appears in a URL, an error or an inspected object', async () => {
  const secrets = /ID-JAG|ID-TOKEN|IDP-SECRET|ACCESS|\bSECRET/;
  const { fetch, asked } = web(AS, ({ url }) =>
    url === `${AS}/token` ? Response.json({ error: 'invalid_grant' }, { status: 400 }) : undefined,
  );
  const auth = enterprise({ fetch });
  const error = await token(auth).then(
    () => assert.fail('it got a token'),
    (thrown: unknown) => thrown,
  );
  assert.doesNotMatch(inspect(error, { depth: 10 }), secrets);
  assert.doesNotMatch(inspect(auth, { depth: 10, showHidden: true }), secrets);
  for (const { url } of asked) assert.doesNotMatch(url, secrets);
});

test('a token for the provider itself is never sent to another server', async () => {
  for (const answer of [
    { access_token: 'OWN', token_type: 'Bearer', issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
    { access_token: 'OWN', token_type: 'N_A' },
    { access_token: 'OWN', token_type: 'Bearer', issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag' },
  ]) {
    const { fetch, asked } = web(AS, ({ url }) => (url === `${IDP}/token` ? Response.json(answer) : undefined));
    await assert.rejects(token(enterprise({ fetch })), { name: 'AuthError', step: 'token' });
    assert.ok(asked.every(({ url }) => url === `${IDP}/token`));
  }
});

/** Invalid answers of a token endpoint, as they are sent. */
const NO_ANSWERS: readonly (readonly [text: string, type?: string])[] = [
  ['{"access_token":"A","access_token":"B","token_type":"Bearer"}'],
  ['{"access_token":"A","token_type":"Bearer","token_type":"DPoP"}'],
  ['[{"access_token":"A","token_type":"Bearer"}]'],
  ['{"access_token":["A"],"token_type":"Bearer"}'],
  ['{"access_token":"A","token_type":["Bearer"]}'],
  ['{"access_token":"A","token_type":"Bearer","expires_in":"3600"}'],
  ['{"access_token":"A","token_type":"Bearer","expires_in":1e400}'],
  ['{"access_token":"A","token_type":"Bearer","expires_in":-1}'],
  ['{"access_token":"A","token_type":"Bearer","expires_in":9007199254740993}'],
  ['{"access_token":"A","token_type":"Bearer","scope":["notes"]}'],
  ['{"access_token":"","token_type":"Bearer"}'],
  ['{"access_token":"A\\u0000","token_type":"Bearer"}'],
  ['access_token=A&token_type=Bearer', 'application/x-www-form-urlencoded'],
  ['{"access_token":"A","token_type":"Bearer"}', 'text/plain'],
];

test('a program without a user refuses an invalid token response, and reports the problem', async () => {
  for (const [text, type = 'application/json'] of NO_ANSWERS)
    for (const make of [
      (options: AuthOptions) => clientCredentials({ ...options, client: { id: 'n', secret: 'SECRET', issuer: AS } }),
      (options: AuthOptions) => workloadIdentity({ ...options, issuer: AS, assertion: () => 'P' }),
      enterprise,
    ]) {
      const { fetch } = web(AS, ({ url }) =>
        url === `${AS}/token` ? new Response(text, { headers: { 'content-type': type } }) : undefined,
      );
      await assert.rejects(
        token(make({ fetch })),
        (error: Error & { step?: string }) =>
          error.name === 'AuthError' &&
          error.step === 'token' &&
          error.message.length > 20 &&
          !inspect(error).includes('SECRET'),
        `${type} ${text}`,
      );
    }
});

test('a grant of a provider is accepted only in the form of the specification', async () => {
  const good = { access_token: 'G', token_type: 'N_A', issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag' };
  for (const bad of [
    { ...good, issued_token_type: 7 },
    { ...good, issued_token_type: undefined },
    { ...good, issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
    { ...good, access_token: ['G'] },
    { ...good, access_token: '' },
    { ...good, token_type: {} },
    { ...good, expires_in: 'soon' },
  ]) {
    const { fetch, asked } = web(AS, ({ url }) => (url === `${IDP}/token` ? Response.json(bad) : undefined));
    await assert.rejects(token(enterprise({ fetch })), { name: 'AuthError' }, JSON.stringify(bad));
    assert.deepEqual(
      asked.map(({ url }) => url),
      [`${IDP}/token`],
      JSON.stringify(bad),
    );
  }
});
