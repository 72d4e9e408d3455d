import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Denial } from '../protocol/auth.ts';
import { createProofs } from './dpop.ts';
import { protectedResource } from './protected-resource.ts';

const RESOURCE = 'https://mcp.example.com/mcp';

/** A server that knows two tokens: `bound`, which is bound to a key, and `plain`. Gives what becomes of a request with these headers. */
async function guarded() {
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
    return authenticate({ method: 'POST', path: '/mcp', header: (name) => headers.get(name) });
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

test('a token that is not bound to a key is accepted as Bearer, and never as DPoP', async () => {
  const { answer, proofFor } = await guarded();
  assert.equal(((await answer('Bearer plain')) as { id?: string }).id, 'https://as.example.com|ann');
  const { status, headers } = (await answer('DPoP plain', await proofFor('plain'))) as Denial;
  assert.equal(status, 401);
  assert.match(headers!['www-authenticate']!, /^Bearer error="invalid_token"/);
});
