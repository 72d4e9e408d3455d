// How tokens are verified, against an authorization server on a real port.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { introspection, jwt } from './verify.ts';

const RESOURCE = 'https://mcp.example.com/mcp';

type Answer = (path: string, form: URLSearchParams, request: IncomingMessage) => object | number;

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const said = answer(request.url ?? '/', new URLSearchParams(text), request);
      const status = typeof said === 'number' ? said : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

test('an opaque token is what the authorization server says of it, who is asked by name', async () => {
  const asked: { readonly form: URLSearchParams; readonly authorization: string | undefined }[] = [];
  let says: object | number = {};
  const endpoint = await serve((_, form, { headers }) => {
    asked.push({ form, authorization: headers.authorization });
    return says;
  });
  const issuer = 'https://as.example.com';
  const verify = introspection({ issuer, endpoint, client: { id: 'mcp', secret: 'SECRET' } });
  const good = { active: true, sub: 'ann', aud: RESOURCE, scope: 'a b', client_id: 'c', iss: issuer, exp: now() + 60 };
  says = good;
  assert.deepEqual(await verify('opaque', RESOURCE), {
    issuer,
    subject: 'ann',
    clientId: 'c',
    scopes: ['a', 'b'],
    keyThumbprint: undefined,
    claims: good,
  });
  assert.deepEqual(Object.fromEntries(asked[0]!.form), { token: 'opaque', token_type_hint: 'access_token' });
  assert.equal(asked[0]!.authorization, `Basic ${btoa('mcp:SECRET')}`);
  for (const bad of [
    { ...good, active: false },
    { ...good, active: 'true' },
    { ...good, aud: undefined },
    { ...good, aud: ['https://other.example/mcp'] },
    { ...good, iss: 'https://other.example' },
    { ...good, exp: now() - 60 },
    {},
  ]) {
    says = bad;
    assert.equal(await verify('opaque', RESOURCE), undefined, JSON.stringify(bad));
  }
  says = { ...good, aud: ['https://other.example/mcp', RESOURCE], cnf: { jkt: 'thumb' } };
  assert.equal((await verify('opaque', RESOURCE))?.keyThumbprint, 'thumb');
  // That it could not be found out is no verdict about the token.
  says = 503;
  await assert.rejects(async () => verify('opaque', RESOURCE), /status 503/);
});

test('an audience that the authorization server uses instead of the address is taken where it is given, and only that', async () => {
  const says = { active: true, sub: 'ann', aud: 'mcp-api' };
  const endpoint = await serve(() => says);
  const options = { issuer: 'https://as.example.com', endpoint, client: { id: 'mcp', secret: 'SECRET' } };
  assert.equal(await introspection(options)('x', RESOURCE), undefined);
  assert.equal((await introspection({ ...options, audience: 'mcp-api' })('x', RESOURCE))?.subject, 'ann');
});

test('the keys of a JWT are found by the issuer, asked for again when they could not be had, and replaced when they change', async () => {
  let { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  let kid = 'first';
  let isUp = false;
  const paths: string[] = [];
  const issuer: string = await serve((path) => {
    paths.push(path);
    if (!isUp) return 503;
    if (path === '/.well-known/openid-configuration') return { issuer, jwks_uri: `${issuer}/keys` };
    return path === '/keys' ? { keys: [keys] } : 404;
  });
  let keys = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
  const token = (claims: object = {}) =>
    new SignJWT({ sub: 'ann', iss: issuer, aud: RESOURCE, exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign(privateKey);
  const verify = jwt({ issuer });
  const first = await token();
  await assert.rejects(async () => verify(first, RESOURCE), /503/);
  isUp = true;
  assert.equal((await verify(first, RESOURCE))?.subject, 'ann');
  assert.ok(paths.includes('/.well-known/oauth-authorization-server'));
  const before = paths.length;
  await verify(first, RESOURCE);
  assert.equal(paths.length, before, 'the keys are kept');
  for (const [claims, expected] of [
    [{ scope: 'a b' }, ['a', 'b']],
    [{ scp: ['a', 'b'] }, ['a', 'b']],
    [{ scope: 7 }, []],
  ] as const)
    assert.deepEqual((await verify(await token(claims), RESOURCE))?.scopes, expected);
  assert.equal((await verify(await token({ azp: 'app', sub: undefined }), RESOURCE))?.clientId, 'app');
  ({ publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true }));
  kid = 'second';
  keys = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
  assert.equal(
    await verify(await token(), RESOURCE),
    undefined,
    'unknown keys are looked for once in a while, not each time',
  );
});

test('metadata of another issuer are ignored', async () => {
  const issuer: string = await serve(() => ({ issuer: 'https://honest.example', jwks_uri: `${issuer}/keys` }));
  await assert.rejects(async () => jwt({ issuer })('x.y.z', RESOURCE), /were not found/);
});

test('[A-71] a token for something else, or that is bound to something that is not checked, is no token to call with', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] };
  const issuer = 'https://as.example.com';
  const verify = jwt({ issuer, jwks, audience: 'app' });
  const check = async (typ: string | undefined, claims: object = {}) => {
    const token = await new SignJWT({ sub: 'ann', iss: issuer, aud: 'app', exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', ...(typ === undefined ? {} : { typ }) })
      .sign(privateKey);
    return (await verify(token, RESOURCE)) !== undefined;
  };
  for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', undefined])
    assert.equal(await check(typ), true, typ);
  for (const typ of ['rt+jwt', 'logout+jwt', 'dpop+jwt', 'secevent+jwt']) assert.equal(await check(typ), false, typ);
  for (const claims of [{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { events: {} }])
    assert.equal(await check('JWT', claims), false);
  for (const cnf of [{ 'x5t#S256': 't' }, { jkt: 'a', 'x5t#S256': 't' }, { kid: 'k' }, 'text'])
    assert.equal(await check('at+jwt', { cnf }), false);
  assert.equal(await check('at+jwt', { cnf: { jkt: 'a' } }), true);
});

test('[A-61] keys are read only where an issuer may send one', async () => {
  const issuer: string = await serve(() => ({ issuer, jwks_uri: 'http://192.0.2.2/keys' }));
  await assert.rejects(async () => jwt({ issuer })('x.y.z', RESOURCE), /not https/);
});
