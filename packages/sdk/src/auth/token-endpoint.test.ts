import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError } from '../protocol/auth-error.ts';
import { authenticate, methodsFor, registrationMethod } from './token-endpoint.ts';

function listing(listed: readonly string[] | undefined) {
  return { issuer: 'https://as.example.com', token_endpoint_auth_methods_supported: listed as string[] };
}

test('a client that registers itself needs no secret if it can, or uses the first method that the server lists; one with a secret prefers Basic', () => {
  const basic = 'client_secret_basic';
  const post = 'client_secret_post';
  const rows: readonly (readonly [listed: readonly string[] | undefined, own: string, given: readonly string[]])[] = [
    [undefined, basic, [basic, post]],
    [[basic, post, 'none'], 'none', [basic, post]],
    [[basic, post], basic, [basic, post]],
    // As the official SDK for Python lists them, which does not accept every request with the second.
    [[post, basic], post, [basic, post]],
    [['private_key_jwt', post], post, [post]],
    [['private_key_jwt'], 'none', [basic]],
    [['none'], 'none', [basic]],
  ];
  for (const [listed, own, given] of rows) {
    const names = methodsFor(listing(listed), 'SECRET').map(({ name }) => name);
    assert.deepEqual([registrationMethod(listing(listed)), names], [own, given], String(listed));
  }
  assert.deepEqual(
    methodsFor(listing([basic, post]), 'SECRET', post).map(({ name }) => name),
    [post, basic],
    'what worked comes first',
  );
  assert.deepEqual(
    methodsFor(listing([basic, post]), undefined).map(({ name }) => name),
    ['none'],
  );
});

test('another method is tried only if the server refuses the client, and the first error counts', async () => {
  const methods = methodsFor(listing(undefined), 'SECRET');
  const refused = (oauthError: string) => new AuthError('refused', 'token', oauthError, { oauthError });
  const attempts = async (...errors: readonly string[]) => {
    let count = 0;
    const sent = authenticate(methods, async () => {
      const error = errors[count++];
      if (error !== undefined) throw refused(error);
      return 'TOKEN';
    });
    const outcome = await sent.then(
      ({ answer, method }) => `${answer} by ${method}`,
      (error: Error) => error.message,
    );
    return [outcome, count];
  };
  assert.deepEqual(await attempts(), ['TOKEN by client_secret_basic', 1]);
  for (const error of ['invalid_client', 'unauthorized_client', 'invalid_request', 'access_denied'])
    assert.deepEqual(await attempts(error), ['TOKEN by client_secret_post', 2], error);
  for (const error of ['invalid_grant', 'invalid_scope', 'invalid_target', 'use_dpop_nonce', 'server_error'])
    assert.deepEqual(await attempts(error), [error, 1]);
  assert.deepEqual(await attempts('invalid_client', 'invalid_grant'), ['invalid_client', 2]);
});
