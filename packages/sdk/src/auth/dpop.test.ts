import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { memoryStore } from '../store/memory.ts';
import { createProofs } from './dpop.ts';
import { createProofCheck } from './dpop-check.ts';

const ENDPOINT = 'https://mcp.example.com/mcp';
function requestWith(dpop: string | undefined, method = 'POST') {
  return {
    method,
    path: '/mcp',
    header: (name: string) => (name === 'dpop' ? dpop : undefined),
  };
}

test('a proof is valid for one request, with its token and key, and only once', async () => {
  const proofs = await createProofs(undefined);
  const check = createProofCheck(ENDPOINT);
  const proof = await proofs.proof('POST', `${ENDPOINT}?x=1`, 'token');
  assert.equal(await check(requestWith(proof), 'token', proofs.thumbprint), true);
  assert.equal(await check(requestWith(proof), 'token', proofs.thumbprint), false, 'a second time');
  const fresh = (method = 'POST', url = ENDPOINT, token: string | undefined = 'token'): Promise<string> =>
    proofs.proof(method, url, token);
  assert.equal(await check(requestWith(await fresh()), 'another', proofs.thumbprint), false);
  assert.equal(await check(requestWith(await fresh(), 'GET'), 'token', proofs.thumbprint), false);
  assert.equal(
    await check(requestWith(await fresh('POST', 'https://mcp.example.com/other')), 'token', proofs.thumbprint),
    false,
  );
  assert.equal(
    await check(requestWith(await fresh('POST', 'https://elsewhere.example/mcp')), 'token', proofs.thumbprint),
    false,
  );
  assert.equal(await check(requestWith(await fresh()), 'token', 'another key'), false);
  assert.equal(
    await check(requestWith(await proofs.proof('POST', ENDPOINT)), 'token', proofs.thumbprint),
    false,
    'without ath',
  );
  for (const none of [undefined, '', 'x', 'a.b.c'])
    assert.equal(await check(requestWith(none), 'token', proofs.thumbprint), false);
});

test('a proof is valid once for all nodes that share a store, also if the other node has not seen it', async () => {
  const proofs = await createProofs(undefined);
  const [a, b] = [createProofCheck(ENDPOINT), createProofCheck(ENDPOINT)];
  const store = memoryStore();
  const useOnce = (key: string, lifeMs: number) => store.add(key, 1, lifeMs);
  const first = { ...requestWith(await proofs.proof('POST', ENDPOINT, 'token')), useOnce };
  assert.equal(await a(first, 'token', proofs.thumbprint), true);
  assert.equal(await b(first, 'token', proofs.thumbprint), false);
  const away = {
    ...requestWith(await proofs.proof('POST', ENDPOINT, 'token')),
    useOnce: () => Promise.reject(new Error('away')),
  };
  await assert.rejects(b(away, 'token', proofs.thumbprint), /away/);
});

test('a proof never contains the private key, and a stored key has the same thumbprint', async () => {
  const proofs = await createProofs(undefined);
  const { jwk, typ, alg } = decodeProtectedHeader(await proofs.proof('POST', ENDPOINT));
  assert.deepEqual([typ, alg], ['dpop+jwt', 'ES256']);
  assert.deepEqual(Object.keys(jwk!).sort(), ['crv', 'kty', 'x', 'y']);
  const again = await createProofs(structuredClone(proofs.jwk));
  assert.equal(again.thumbprint, proofs.thumbprint);
});

test('a nonce is used for its server, from then on', async () => {
  const proofs = await createProofs(undefined);
  assert.equal(proofs.learn(ENDPOINT, 'n1'), true);
  assert.equal(proofs.learn(ENDPOINT, 'n1'), false);
  assert.equal(proofs.learn(ENDPOINT, undefined), false);
  assert.equal(decodeJwt(await proofs.proof('POST', ENDPOINT))['nonce'], 'n1');
  assert.equal(decodeJwt(await proofs.proof('POST', 'https://as.example/token'))['nonce'], undefined);
});
