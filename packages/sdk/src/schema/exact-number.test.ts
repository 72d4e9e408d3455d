import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findInexactNumber, isExactNumber } from './exact-number.ts';

test('a number keeps its value if it is written again as the same decimal number', () => {
  for (const literal of [
    '0',
    '-0',
    '0.0',
    '0e5',
    '1',
    '-1',
    '1.50',
    '0.1',
    '1e3',
    '1E+3',
    '10e-1',
    '100000000000000000000',
    '1e23',
    '5e-324',
    '0.000001',
    '9007199254740992',
    '1.7976931348623157e308',
  ])
    assert.ok(isExactNumber(literal), literal);
  for (const literal of [
    '9007199254740993',
    '12345678901234567890',
    '0.1000000000000000055511151231257827',
    '1e309',
    '-1e999',
    '1e-400',
    '0.30000000000000004441',
    '3.14159265358979323846',
  ])
    assert.equal(isExactNumber(literal), false, literal);
});

test('text that is not a JSON number is rejected', () => {
  for (const literal of [
    '',
    ' 1',
    '+1',
    '01',
    '.5',
    '5.',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '--1',
    '1,5',
    '"1"',
    '1n',
  ])
    assert.equal(isExactNumber(literal), false, literal);
});

test('every number written by JavaScript keeps its value', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => isExactNumber(JSON.stringify(value))),
  );
  fc.assert(
    fc.property(
      fc.bigInt(),
      (value) => isExactNumber(String(value)) === (BigInt(Number(value)) === value && decimal(value)),
    ),
  );
});

/** Does JavaScript write the number with all its digits? Beyond 2^53, the shortest text may be another integer. */
function decimal(value: bigint): boolean {
  const [digits = '', exponent = '0'] = String(Number(value)).split('e+');
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(`${whole}${fraction}${'0'.repeat(Number(exponent) - fraction.length)}`) === value;
}

test('numbers are found within a JSON text, and not within its strings', () => {
  assert.equal(findInexactNumber('[1, {"a": [2.5e3]}, "9007199254740993", "\\"9007199254740993"]'), undefined);
  assert.equal(findInexactNumber('[1, {"9007199254740993": [9007199254740993]}]'), '9007199254740993');
  assert.equal(findInexactNumber('[-1e999]'), '-1e999');
});
