import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { exactNumber, isInteger, isLossy, isNumber, isRewritten, readJson } from './exact-json.ts';

test('a number that JavaScript holds exactly is not lossy, however it is written', () => {
  for (const text of [
    '0',
    '1',
    '-1',
    '1.0',
    '1.50',
    '1e3',
    '100',
    '0.1',
    '9007199254740992',
    '1e21',
    '0.000001',
    '1E-7',
    '1e-7',
    '0e5',
  ]) {
    assert.equal(isLossy(text), false, text);
  }
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (number) => Object.is(number, -0) || !isLossy(String(number)),
    ),
  );
});

test('a number that would change is lossy', () => {
  for (const text of [
    '9007199254740993',
    '0.10000000000000000001',
    '1e400',
    '-1e400',
    '-0',
    '1e-400',
    '12345678901234567890',
    '123456789012345678901234567890e-5',
  ]) {
    assert.equal(isLossy(text), true, text);
  }
});

test('every integer beyond the safe range is serialized unchanged', () => {
  fc.assert(
    fc.property(fc.bigInt(), (number) => {
      const text = `{"a":[${number}]}`;
      assert.equal(JSON.stringify(readJson(text)), text);
    }),
  );
});

test('numbers keep their spelling on request: otherwise 1.0 became 1', () => {
  const text = '{"a":[1.0,1,1.50,1E2,-0,9007199254740993],"b":{"c":0.10000000000000000001}}';
  assert.equal(JSON.stringify(readJson(text, isRewritten)), text);
  assert.equal(
    JSON.stringify(readJson(text)),
    '{"a":[1,1,1.5,100,-0,9007199254740993],"b":{"c":0.10000000000000000001}}',
  );
});

test('JSON without such numbers yields plain values', () => {
  assert.deepEqual(readJson('{"a":[1,2.5,"9007199254740993"]}'), { a: [1, 2.5, '9007199254740993'] });
  assert.equal(typeof exactNumber('1.0'), 'number');
});

test('a member called __proto__ is a member', () => {
  assert.equal(JSON.stringify(readJson('{"__proto__":9007199254740993}')), '{"__proto__":9007199254740993}');
});

test('only JSON numbers are accepted', () => {
  for (const text of ['1', '-1', '0.5', '1e5', '1E+5']) assert.equal(isNumber(text), true, text);
  for (const text of ['', ' 1', '1 ', '+1', '01', '.5', '1.', '0x10', 'NaN', 'Infinity', '1_000', '1n'])
    assert.equal(isNumber(text), false, text);
});

test('an integer may be written with a fraction of zeros or an exponent', () => {
  for (const text of ['1', '1.0', '1e3', '1.5e1', '0', '9007199254740993', '1e400'])
    assert.equal(isInteger(text), true, text);
  for (const text of ['1.5', '1e-1', '0.1']) assert.equal(isInteger(text), false, text);
});

test('many digits do not take long', () => {
  withinCpuMs(2_000, () => isLossy(`1${'0'.repeat(200_000)}1`));
});
