import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toBase64 } from './base64.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

test('bytes survive base64url', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = toBase64Url(bytes);
      assert.equal(text, Buffer.from(bytes).toString('base64url'));
      assert.deepEqual(fromBase64Url(text), Uint8Array.from(bytes));
    }),
  );
});

test('bytes have only one valid text, so that every change to a sealed value is noticed', () => {
  assert.deepEqual(fromBase64Url('AA'), new Uint8Array([0]));
  for (const text of ['AB', 'AP', 'A', 'AA==', 'A A', 'AA\n', '+/', '*', 'AAB'])
    assert.equal(fromBase64Url(text), undefined, text);
});

test('a string is base64 already; without an encoder in the runtime the result is the same', () => {
  assert.equal(toBase64('aGk='), 'aGk=');
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
  const expected = Buffer.from(bytes).toString('base64');
  const { Buffer: own } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, 'Buffer');
    assert.equal(toBase64(bytes), expected);
  } finally {
    globalThis.Buffer = own;
  }
});
