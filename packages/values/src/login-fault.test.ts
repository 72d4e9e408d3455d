import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginFault, METADATA_FIX } from './login-fault.ts';

test('the fault behind a failed login follows from its step, and the fix also from its code', () => {
  assert.deepEqual(loginFault({ step: 'discovery', code: 'wrong-resource' }), {
    blame: 'server',
    fix: METADATA_FIX.resource,
  });
  assert.deepEqual(loginFault({ step: 'authorization', code: 'no-pkce' }), { blame: 'server', fix: METADATA_FIX.pkce });
  assert.deepEqual(loginFault({ step: 'registration', code: 'wrong-issuer' }), { blame: 'server', fix: undefined });
  assert.equal(loginFault({ step: 'authorization', code: 'login-unavailable' }), undefined);
});
