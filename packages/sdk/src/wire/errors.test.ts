import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODE } from '../protocol/errors.ts';
import { featuresOf, REVISIONS } from '../protocol/revision.ts';
import { frozen } from '../../test/frozen.ts';
import { encodeError } from './errors.ts';

for (const revision of REVISIONS) {
  const { era, elicitationId } = featuresOf(revision);
  const modern = era === 'modern';
  const coded = (code: number): number => encodeError(frozen({ code, message: 'm', data: 1 }), revision).code;

  test(`[BASE-29] ${revision}: an unknown resource is ${modern ? '-32602' : '-32002'}`, () => {
    assert.equal(coded(CODE.resourceNotFound), modern ? CODE.invalidParams : CODE.resourceNotFound);
  });

  test(`[BASE-29] ${revision}: the demand for a URL elicitation is ${elicitationId ? 'sent' : 'an internal error'}`, () => {
    assert.equal(coded(CODE.urlElicitationRequired), elicitationId ? CODE.urlElicitationRequired : CODE.internalError);
  });

  test(`[BASE-28] ${revision}: codes of the modern era are ${modern ? 'sent' : 'internal errors'}`, () => {
    for (const code of [CODE.headerMismatch, CODE.missingCapability, CODE.unsupportedVersion]) {
      assert.equal(coded(code), modern ? code : CODE.internalError);
    }
  });

  test(`[BASE-24] [BASE-25] [BASE-27] ${revision}: reserved codes without a meaning ${modern ? 'are never sent' : 'are left to implementations'}`, () => {
    for (const code of [-32_000, -32_019, -32_023, -32_099])
      assert.equal(coded(code), modern ? CODE.internalError : code);
    for (const code of [-32_100, -32_599, -32_768]) assert.equal(coded(code), CODE.internalError);
  });

  test(`[BASE-30] ${revision}: codes of JSON-RPC and of applications are sent as they are, without a copy`, () => {
    for (const code of [-32_700, -32_600, -32_601, -32_602, -32_603, -32_769, -31_999, CODE.rejected, 0, 1]) {
      const error = frozen({ code, message: 'm' });
      assert.equal(encodeError(error, revision), error);
    }
  });
}

test('message and data stay if the code of an error changes', () => {
  const error = frozen({ code: CODE.resourceNotFound, message: 'gone', data: { uri: 'a:b' } });
  assert.deepEqual(encodeError(error, '2026-07-28'), {
    code: CODE.invalidParams,
    message: 'gone',
    data: { uri: 'a:b' },
  });
});
