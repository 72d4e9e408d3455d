import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Denial } from '../protocol/auth.ts';
import { jumpingTime } from '../../../../scripts/lib/test-time.ts';
import { createProofs } from './dpop.ts';
import { protectedResource, type VerifyToken } from './protected-resource.ts';

const RESOURCE = 'https://mcp.example.com/mcp';

/**
 * A server that knows two tokens: `bound`, which is bound to a key, and `plain`. Returns a function that sends a request with these
 * headers.
 */
async function guarded(more: object = {}) {
  const proofs = await createProofs(undefined);
  const { authenticate } = protectedResource({
    resource: RESOURCE,
    authorizationServers: ['https://as.example.com'],
    verify: (token) => ({
      issuer: 'https://as.example.com',
      subject: 'ann',
      scopes: [],
      claims: {},
      ...(token === 'bound' ? { keyThumbprint: proofs.thumbprint } : {}),
    }),
  });
  const answer = (authorization: string, dpop?: string) => {
    const headers = new Map([
      ['authorization', authorization],
      ['dpop', dpop],
    ]);
    return authenticate({ method: 'POST', path: '/mcp', header: (name) => headers.get(name), ...more });
  };
  return { answer, proofFor: (token: string) => proofs.proof('POST', RESOURCE, token) };
}

test('a token that is bound to a key is accepted as DPoP with its proof, and never as Bearer', async () => {
  const { answer, proofFor } = await guarded();
  assert.equal(
    ((await answer('DPoP bound', await proofFor('bound'))) as { id?: string }).id,
    'https://as.example.com|ann',
  );
  for (const proof of [undefined, await proofFor('bound')]) {
    const { status, headers } = (await answer('Bearer bound', proof)) as Denial;
    assert.equal(status, 401);
    assert.match(headers!['www-authenticate']!, /^DPoP error="invalid_token"/);
  }
  for (const proof of [undefined, await proofFor('another')]) {
    const { status, headers } = (await answer('DPoP bound', proof)) as Denial;
    assert.equal(status, 401);
    assert.match(headers!['www-authenticate']!, /^DPoP error="invalid_dpop_proof"/);
  }
});

test('while it is unknown whether a proof was used before, the request may be repeated later', async () => {
  const { answer, proofFor } = await guarded({ useOnce: () => Promise.reject(new Error('the store is away')) });
  const { status, headers, cause } = (await answer('DPoP bound', await proofFor('bound'))) as Denial;
  assert.deepEqual([status, headers?.['retry-after'], String(cause)], [503, '5', 'Error: the store is away']);
});

test('a header that has no token says so', async () => {
  const { answer } = await guarded();
  for (const header of ['Bearer', 'Bearer notes:read', 'Basic YTpi', 'Bearer a b']) {
    const { status, message } = (await answer(header)) as Denial;
    assert.deepEqual([status, message], [401, 'The Authorization header is not a valid Bearer or DPoP token'], header);
  }
});

test('the scopes of every request are among all scopes, and are not repeated', async () => {
  const options = { resource: RESOURCE, authorizationServers: ['https://as.example.com'], verify: () => undefined };
  const scopesOf = (more: object): unknown => {
    const gate = protectedResource({ ...options, ...more });
    return JSON.parse(gate.document('/.well-known/oauth-protected-resource')!).scopes_supported;
  };
  assert.equal(scopesOf({}), undefined);
  assert.deepEqual(scopesOf({ scopes: ['read'], scopesSupported: ['write'] }), ['read', 'write']);
  assert.deepEqual(scopesOf({ scopes: ['read'], scopesSupported: ['read', 'write'] }), ['read', 'write']);
});

test('a token that is not bound to a key is accepted as Bearer, and never as DPoP', async () => {
  const { answer, proofFor } = await guarded();
  assert.equal(((await answer('Bearer plain')) as { id?: string }).id, 'https://as.example.com|ann');
  const { status, headers } = (await answer('DPoP plain', await proofFor('plain'))) as Denial;
  assert.equal(status, 401);
  assert.match(headers!['www-authenticate']!, /^Bearer error="invalid_token"/);
});

/** A server whose tokens are verified by this function. Returns a function that sends a request with a token from an IP address. */
function verifiedBy(verify: VerifyToken) {
  const { authenticate } = protectedResource({
    resource: RESOURCE,
    authorizationServers: ['https://as.example.com'],
    verify,
  });
  return async (token: string, peer?: string) =>
    (await authenticate({
      method: 'POST',
      path: '/mcp',
      header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
      peer,
    })) as Partial<Denial> & { id?: string };
}

test('a token that cannot be verified is not invalid: status 503, and the reason is logged', async () => {
  const cause = new Error('down');
  const ask = verifiedBy(() => Promise.reject(cause));
  const answer = await ask('t');
  assert.deepEqual([answer.status, answer.headers, answer.cause], [503, { 'retry-after': '5' }, cause]);
  const { status } = await verifiedBy(() => {
    throw cause;
  })('t');
  assert.equal(status, 503);
});

test('the verifications of invalid tokens from one address are limited; other addresses and known tokens are not affected', async (t) => {
  const time = jumpingTime(t, [performance]);
  let asked = 0;
  const valid = new Set(['ann', 'bob', 'new']);
  const ask = verifiedBy((token) => {
    asked++;
    return valid.has(token) ? { issuer: 'x', subject: token, scopes: [], claims: {} } : undefined;
  });
  assert.equal((await ask('ann', 'a')).id, 'x|ann');
  // A token that was valid and has expired does not count.
  assert.equal((await ask('bob', 'a')).id, 'x|bob');
  valid.delete('bob');
  for (let count = 0; count < 10; count++) assert.equal((await ask('bob', 'a')).status, 401);
  for (let count = 0; count < 300; count++)
    assert.equal((await ask(`junk ${count}`.replace(' ', ''), 'a')).status, 401);
  const before = asked;
  const refused = await ask('other', 'a');
  assert.deepEqual([refused.status, refused.headers?.['retry-after']], [429, '60']);
  assert.equal((await ask('new', 'a')).status, 429);
  // A known invalid token is answered as invalid, so that its client requests another token.
  assert.equal((await ask('junk299', 'a')).status, 401);
  assert.equal(asked, before);
  assert.equal((await ask('ann', 'a')).id, 'x|ann');
  assert.equal((await ask('bob', 'a')).status, 401);
  assert.equal((await ask('new', 'b')).id, 'x|new');
  // The token is now known to be valid, from any address.
  assert.equal((await ask('new', 'a')).id, 'x|new');
  time.jump(60_000);
  assert.equal((await ask('other', 'a')).status, 401);
  assert.equal(asked, before + 5);
});

test('a token without a subject and a client id is refused', async () => {
  for (const named of [{ subject: ' ' }, { subject: '\t', clientId: 'app' }, { clientId: ' ' }, { subject: '' }, {}]) {
    const ask = verifiedBy(() => ({ issuer: 'x', ...named, scopes: [], claims: {} }));
    assert.equal((await ask('t')).status, 401, JSON.stringify(named));
  }
});

test('scopes that cannot be written in a challenge are refused at once', () => {
  const options = { resource: RESOURCE, authorizationServers: ['https://as.example.com'], verify: () => undefined };
  for (const scope of ['', 'a b', 'a"b', 'a\\b', 'a\nb', 'é']) {
    assert.throws(() => protectedResource({ ...options, scopes: [scope] }), TypeError);
    assert.throws(() => protectedResource({ ...options, scopesSupported: [scope] }), TypeError);
  }
});
