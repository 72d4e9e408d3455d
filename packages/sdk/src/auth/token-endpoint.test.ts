import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodFor } from './token-endpoint.ts';

test('a client that registers itself needs no secret if it can, or uses the first method that the server lists; one with a secret prefers Basic', () => {
  const rows: readonly (readonly [listed: readonly string[] | undefined, withoutSecret: string, withSecret: string])[] =
    [
      [undefined, 'client_secret_basic', 'client_secret_basic'],
      [['client_secret_basic', 'client_secret_post', 'none'], 'none', 'client_secret_basic'],
      [['client_secret_basic', 'client_secret_post'], 'client_secret_basic', 'client_secret_basic'],
      // As the official SDK for Python lists them, which does not accept every request with the second.
      [['client_secret_post', 'client_secret_basic'], 'client_secret_post', 'client_secret_basic'],
      [['private_key_jwt', 'client_secret_post'], 'client_secret_post', 'client_secret_post'],
      [['private_key_jwt'], 'none', 'client_secret_basic'],
      [['none'], 'none', 'client_secret_basic'],
    ];
  for (const [listed, withoutSecret, withSecret] of rows) {
    const as = { issuer: 'https://as.example.com', token_endpoint_auth_methods_supported: listed as string[] };
    assert.deepEqual([methodFor(as, false), methodFor(as, true)], [withoutSecret, withSecret], String(listed));
  }
});
