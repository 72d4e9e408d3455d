import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError } from '../protocol/auth-error.ts';
import { authenticate, preregisteredIdentity, registrationMethod } from './token-endpoint.ts';

function listing(listed: readonly string[] | undefined) {
  return { issuer: 'https://as.example.com', token_endpoint_auth_methods_supported: listed as string[] };
}

function namesFor(listed: readonly string[] | undefined, worked?: string): readonly string[] {
  return preregisteredIdentity(listing(listed), { id: 'app', secret: 'SECRET' }, worked).methods.map(
    ({ name }) => name,
  );
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
    assert.deepEqual([registrationMethod(listing(listed)), namesFor(listed)], [own, given], String(listed));
  }
  assert.deepEqual(namesFor([basic, post], post), [post, basic], 'what worked comes first');
  const open = preregisteredIdentity(listing([basic, post]), { id: 'open' });
  assert.deepEqual(
    open.methods.map(({ name }) => name),
    ['none'],
  );
});

test('a secret may be empty', async () => {
  const sent = preregisteredIdentity(listing(undefined), { id: 'app', secret: '' }).methods.map(async ({ auth }) => {
    const [body, headers] = [new URLSearchParams(), new Headers()];
    await auth(listing(undefined), { client_id: 'app' }, body, headers);
    return [headers.get('authorization'), body.toString()];
  });
  assert.deepEqual(await Promise.all(sent), [
    [`Basic ${btoa('app:')}`, ''],
    [null, 'client_id=app&client_secret='],
  ]);
});

/** The outcome of requests, of which the server answers each attempt with the next of these errors; after the last one it accepts. */
function tries(...errors: readonly Error[]) {
  const client = { id: 'app', secret: 'SECRET' };
  let count = 0;
  const methods: string[] = [];
  return async () => {
    const identity = preregisteredIdentity(listing(undefined), client);
    const names = identity.methods.map(({ name, auth }) => [auth, name] as const);
    const sent = authenticate(identity, async (auth) => {
      methods.push(new Map(names).get(auth)!);
      const error = errors[count++];
      if (error !== undefined) throw error;
      return 'TOKEN';
    });
    const outcome = await sent.then(
      ({ answer, method }) => `${answer} by ${method}`,
      (error: Error) => error.message,
    );
    return [outcome, methods.splice(0).length];
  };
}

function refused(oauthError: string): AuthError {
  return new AuthError('refused', 'token', oauthError, { oauthError });
}

test('another method is tried only if the server refuses the client', async () => {
  assert.deepEqual(await tries()(), ['TOKEN by client_secret_basic', 1]);
  for (const error of ['invalid_client', 'unauthorized_client', 'invalid_request', 'access_denied'])
    assert.deepEqual(await tries(refused(error))(), ['TOKEN by client_secret_post', 2], error);
  for (const error of ['invalid_grant', 'invalid_scope', 'invalid_target', 'use_dpop_nonce', 'server_error'])
    assert.deepEqual(await tries(refused(error))(), [error, 1]);
  assert.deepEqual(await tries(new Error('no network'))(), ['no network', 1]);
});

test('the error of the method that the server accepts is reported, else the first one', async () => {
  assert.deepEqual(await tries(refused('invalid_client'), refused('invalid_grant'))(), ['invalid_grant', 2]);
  assert.deepEqual(await tries(refused('invalid_client'), new Error('no network'))(), ['no network', 2]);
  assert.deepEqual(await tries(refused('invalid_client'), refused('invalid_request'))(), ['invalid_client', 2]);
});

test('the method that the server accepts is the first one from then on, also if the request failed for another reason', async () => {
  for (const second of [undefined, refused('invalid_grant')]) {
    const next = tries(...[refused('invalid_client'), second].filter((error) => error !== undefined));
    await next();
    assert.deepEqual(await next(), ['TOKEN by client_secret_post', 1]);
  }
});
