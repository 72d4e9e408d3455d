// Verification of opaque tokens, against an authorization server on a real port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, serveJson } from './fixtures/serve-json.ts';
import { introspection } from './introspection.ts';

const RESOURCE = 'https://mcp.example.com/mcp';

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

test('an opaque token is introspected at the authorization server with client credentials', async () => {
  const asked: { readonly form: URLSearchParams; readonly authorization: string | undefined }[] = [];
  let says: object | number = {};
  const endpoint = await serveJson((_, form, { headers }) => {
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
  for (const [bad, invalid] of [
    [{ ...good, active: false }, 'It is not active'],
    [{ ...good, aud: undefined }, 'Its audience is missing'],
    [{ ...good, aud: ['https://other.example/mcp'] }, 'Its audience is https://other.example/mcp'],
    [{ ...good, iss: 'https://other.example' }, 'Its issuer is https://other.example'],
    [{ ...good, exp: now() - 60 }, 'It has expired'],
    [{ ...good, nbf: now() + 60 }, 'It is not valid yet'],
    [{ ...good, cnf: { 'x5t#S256': 'thumb' } }, 'It is bound to something other than a DPoP key'],
    [{ active: false }, 'It is not active'],
  ] as const) {
    says = bad;
    assert.deepEqual(await verify('opaque', RESOURCE), { invalid });
  }
  says = { ...good, aud: ['https://other.example/mcp', RESOURCE], cnf: { jkt: 'thumb' } };
  assert.partialDeepStrictEqual(await verify('opaque', RESOURCE), { keyThumbprint: 'thumb' });
  // A failed introspection does not mean that the token is invalid.
  says = 503;
  await assert.rejects(async () => verify('opaque', RESOURCE), /status 503/);
});

test('a server that is registered for its secret in the body sends it there, and from then on at once', async () => {
  const sent: string[] = [];
  const endpoint = await serveJson((_, form, { headers }) => {
    const isBasic = headers.authorization !== undefined;
    sent.push(isBasic ? 'basic' : `post ${form.get('client_id')} ${form.get('client_secret')}`);
    return isBasic ? new Refusal(401, { error: 'invalid_client' }) : { active: true, sub: 'ann', aud: RESOURCE };
  });
  const issuer = 'https://as.example.com';
  const verify = introspection({ issuer, endpoint, client: { id: 'mcp', secret: 'SECRET' } });
  for (const token of ['one', 'two']) assert.partialDeepStrictEqual(await verify(token, RESOURCE), { subject: 'ann' });
  assert.deepEqual(sent, ['basic', 'post mcp SECRET', 'post mcp SECRET']);
});

test('a configured audience replaces the URL of the server, and only it is accepted', async () => {
  const says = { active: true, sub: 'ann', aud: 'mcp-api' };
  const endpoint = await serveJson(() => says);
  const options = { issuer: 'https://as.example.com', endpoint, client: { id: 'mcp', secret: 'SECRET' } };
  assert.ok('invalid' in ((await introspection(options)('x', RESOURCE)) ?? {}));
  const found = await introspection({ ...options, audience: 'mcp-api' })('x', RESOURCE);
  assert.partialDeepStrictEqual(found, { subject: 'ann' });
});

test('a response that violates RFC 7662 does not mean that the token is invalid', async () => {
  const issuer = 'https://as.example.com';
  const good = { active: true, sub: 'ann', aud: RESOURCE, exp: now() + 60 };
  let says: object = good;
  const endpoint = await serveJson(() => says);
  const verify = introspection({ issuer, endpoint, client: { id: 'mcp', secret: 'SECRET' } });
  assert.partialDeepStrictEqual(await verify('t', RESOURCE), { subject: 'ann' });
  for (const bad of [
    {},
    { ...good, active: 'true' },
    { ...good, exp: String(now() + 60) },
    { ...good, exp: 1e300 },
    { ...good, sub: 7 },
    { ...good, client_id: {} },
    { ...good, scope: 7 },
    { ...good, cnf: { jkt: 7 } },
    { ...good, cnf: {} },
    { error: 'invalid_client' },
  ]) {
    says = bad;
    await assert.rejects(async () => verify('t', RESOURCE), { name: 'AuthError', step: 'token' }, JSON.stringify(bad));
  }
});

test('concurrent requests with the same token share one introspection, and the concurrent introspections of one caller are limited', async () => {
  let asked = 0;
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const endpoint = await serveJson(async () => {
    asked++;
    await answered;
    return { active: false };
  });
  const verify = introspection({ issuer: 'https://x.example', endpoint, client: { id: 'mcp', secret: 'SECRET' } });
  const from = (peer: string | undefined, token: string) =>
    verify(token, RESOURCE, { method: 'POST', path: '/mcp', header: () => undefined, peer });
  const same = Array.from({ length: 30 }, () => from('a', 'same'));
  const others = Array.from({ length: 30 }, async (_, index) => from('a', `other ${index}`));
  const refused = await Promise.allSettled(others.slice(19));
  assert.ok(refused.every(({ status }) => status === 'rejected'));
  // Another caller is not delayed.
  const second = from('b', 'of b');
  answer();
  assert.deepEqual(
    await Promise.all([...same, ...others.slice(0, 19), second]),
    Array.from({ length: 50 }, () => ({ invalid: 'It is not active' })),
  );
  assert.equal(asked, 21);
  assert.deepEqual(await from('a', 'later'), { invalid: 'It is not active' });
});

test('an endpoint that is not https is refused at once', () => {
  const client = { id: 'mcp', secret: 'SECRET' };
  for (const endpoint of ['http://as.example.com/introspect', 'as.example.com', 'ftp://as.example.com/'])
    assert.throws(() => introspection({ issuer: 'https://as.example.com', endpoint, client }), TypeError);
  const endpoint = 'https://as.example.com/introspect';
  assert.throws(() => introspection({ issuer: 'x', endpoint, client: { id: 'mcp', secret: 'x\n' } }), TypeError);
});
