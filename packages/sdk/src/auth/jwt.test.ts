// Verification of JWTs, against an authorization server on a real port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { jumpingTime } from '../../../../scripts/lib/test-time.ts';
import { serveJson } from './fixtures/serve-json.ts';
import { jwt } from './jwt.ts';

const RESOURCE = 'https://mcp.example.com/mcp';

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

test('the keys of a JWT are found through the issuer, fetched again after a failure, and replaced when they change', async (t) => {
  const time = jumpingTime(t);
  let { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  let kid = 'first';
  let isUp = false;
  const paths: string[] = [];
  const issuer: string = await serveJson((path) => {
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
  // Not every request fetches from a server that is down.
  const asked = paths.length;
  await assert.rejects(async () => verify(first, RESOURCE), /503/);
  assert.equal(paths.length, asked);
  time.jump(5_000);
  assert.partialDeepStrictEqual(await verify(first, RESOURCE), { subject: 'ann' });
  assert.ok(paths.includes('/.well-known/oauth-authorization-server'));
  const before = paths.length;
  await verify(first, RESOURCE);
  assert.equal(paths.length, before, 'the keys are kept');
  for (const [claims, expected] of [
    [{ scope: 'a b' }, ['a', 'b']],
    [{ scp: ['a', 'b'] }, ['a', 'b']],
    [{ scope: null, client_id: null }, []],
  ] as const)
    assert.partialDeepStrictEqual(await verify(await token(claims), RESOURCE), { scopes: expected });
  assert.partialDeepStrictEqual(await verify(await token({ azp: 'app', sub: undefined }), RESOURCE), {
    clientId: 'app',
  });
  ({ publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true }));
  kid = 'second';
  keys = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
  assert.deepEqual(
    await verify(await token(), RESOURCE),
    { invalid: 'no applicable key found in the JSON Web Key Set' },
    'unknown keys are looked for once in a while, not each time',
  );
});

test('keys that cannot be fetched are not fetched again by every request', async (t) => {
  const time = jumpingTime(t);
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  let isUp = false;
  let asked = 0;
  const jwks = await serveJson(async () => {
    asked++;
    return isUp ? { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] } : {};
  });
  const issuer = 'https://as.example.com';
  const verify = jwt({ issuer, jwks });
  const token = () =>
    new SignJWT({ sub: 'ann', iss: issuer, aud: RESOURCE, exp: now() + 60 })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(privateKey);
  for (let request = 0; request < 3; request++)
    await assert.rejects(async () => verify(await token(), RESOURCE), { code: 'invalid-response', message: /`keys`/ });
  assert.equal(asked, 1);
  isUp = true;
  time.jump(5_000);
  assert.partialDeepStrictEqual(await verify(await token(), RESOURCE), { subject: 'ann' });
  assert.equal(asked, 2);
});

test('metadata of another issuer are ignored', async () => {
  const issuer: string = await serveJson(() => ({ issuer: 'https://honest.example', jwks_uri: `${issuer}/keys` }));
  await assert.rejects(async () => jwt({ issuer })('x.y.z', RESOURCE), /were not found/);
});

test('[A-71] a token for another audience, or bound to something that is not checked, is refused', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] };
  const issuer = 'https://as.example.com';
  const verify = jwt({ issuer, jwks, audience: 'app' });
  const check = async (typ: string | undefined, claims: object = {}) => {
    const token = await new SignJWT({ sub: 'ann', iss: issuer, aud: 'app', exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', ...(typ === undefined ? {} : { typ }) })
      .sign(privateKey);
    return !('invalid' in ((await verify(token, RESOURCE)) ?? {}));
  };
  for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', undefined])
    assert.equal(await check(typ), true, typ);
  for (const typ of ['rt+jwt', 'logout+jwt', 'dpop+jwt', 'secevent+jwt']) assert.equal(await check(typ), false, typ);
  for (const claims of [{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { events: {} }])
    assert.equal(await check('JWT', claims), false);
  for (const cnf of [{ 'x5t#S256': 't' }, { jkt: 'a', 'x5t#S256': 't' }, { kid: 'k' }, 'text'])
    assert.equal(await check('at+jwt', { cnf }), false);
  assert.equal(await check('at+jwt', { cnf: { jkt: 'a' } }), true);
  // A claim of the wrong type is neither converted nor treated as missing: otherwise a user's token could count as a program's.
  for (const claims of [
    { sub: 7, client_id: 'app' },
    { sub: ' ' },
    { sub: 'a\nb' },
    { client_id: {} },
    { azp: ['app'] },
    { scope: 7 },
    { scope: ['a b'] },
    { scp: {} },
    { iat: 'now' },
    { exp: 1e300 },
    { cnf: { jkt: 7 } },
    { cnf: {} },
    { cnf: { jkt: '' } },
  ])
    assert.equal(await check('at+jwt', claims), false, JSON.stringify(claims));
  for (const claims of [{ cnf: null }, { scp: null, scope: '' }, { exp: now() + 0.5 + 60 }])
    assert.equal(await check('at+jwt', claims), true, JSON.stringify(claims));
});

test('the scopes of a token get the prefix that clients write before them', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] };
  const issuer = 'https://as.example.com';
  const scopesOf = async (claims: object, scopePrefix?: string) => {
    const token = await new SignJWT({ sub: 'ann', iss: issuer, aud: RESOURCE, exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(privateKey);
    const found = await jwt({ issuer, jwks, scopePrefix })(token, RESOURCE);
    return found !== undefined && 'scopes' in found ? found.scopes : found;
  };
  assert.deepEqual(await scopesOf({ scp: 'read write' }, 'api://notes/'), ['api://notes/read', 'api://notes/write']);
  assert.deepEqual(await scopesOf({}, 'api://notes/'), []);
  assert.deepEqual(await scopesOf({ scp: ['read'] }), ['read']);
  for (const scopePrefix of ['a b', '"', 'a\\']) assert.throws(() => jwt({ issuer, scopePrefix }), TypeError);
});

test('an invalid key set does not mean that the token is invalid', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
  const issuer = 'https://as.example.com';
  const token = await new SignJWT({ sub: 'ann', iss: issuer, aud: RESOURCE, exp: now() + 60 })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(privateKey);
  const verdict = async (set: object) => jwt({ issuer, jwks: await serveJson(() => set) })(token, RESOURCE);
  assert.partialDeepStrictEqual(await verdict({ keys: [key] }), { subject: 'ann' });
  for (const bad of [
    {},
    { keys: null },
    { keys: {} },
    { keys: ['x'] },
    { keys: [{ ...key, kty: 7 }] },
    { keys: [{ ...key, x: 7 }] },
    { keys: [{ ...key, x: 'AAAA' }] },
    { keys: [key, { ...key, kid: [] }] },
  ])
    await assert.rejects(
      async () => verdict(bad),
      { name: 'AuthError', step: /token|discovery/ as never },
      JSON.stringify(bad),
    );
  assert.throws(() => jwt({ issuer, jwks: 'http://as.example.com/keys' }), TypeError);
});

test('[A-61] keys are only fetched from URLs that an issuer may name', async () => {
  const issuer: string = await serveJson(() => ({ issuer, jwks_uri: 'http://192.0.2.2/keys' }));
  await assert.rejects(async () => jwt({ issuer })('x.y.z', RESOURCE), /not https/);
});
