import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFiller } from './defaults.ts';

test('missing members get their defaults, on a copy', () => {
  const fill = makeFiller({ properties: { a: { default: 1 }, b: { default: [1] }, c: { type: 'string' } } })!;
  const given = { a: undefined, c: 'x' };
  assert.deepEqual(fill(given), { a: 1, b: [1], c: 'x' });
  assert.deepEqual(given, { a: undefined, c: 'x' });
  const first = fill({}) as { b: number[] };
  first.b.push(2);
  assert.deepEqual(fill({}), { a: 1, b: [1] }, 'a default is never shared');
  assert.deepEqual(fill({ a: null, b: 0 }), { a: null, b: 0 });
});

test('a complete value, or one that is not an object, is returned as it is', () => {
  const fill = makeFiller({ properties: { a: { default: 1 } } })!;
  const whole = { a: 2 };
  assert.equal(fill(whole), whole);
  assert.equal(fill('text'), 'text');
  assert.equal(fill(null), null);
  assert.deepEqual(fill([]), []);
});

test('objects inside are filled, even those that come from a default', () => {
  const inner = { properties: { x: { default: 1 } } };
  const fill = makeFiller({ properties: { given: inner, made: { default: {}, ...inner } } })!;
  assert.deepEqual(fill({ given: {} }), { given: { x: 1 }, made: { x: 1 } });
  assert.deepEqual(fill({}), { made: { x: 1 } });
});

test('a schema without defaults needs no filling', () => {
  assert.equal(makeFiller({ properties: { a: { type: 'string' }, b: true } }), undefined);
  assert.equal(makeFiller({}), undefined);
});

test('a default for __proto__ sets a member, not the prototype', () => {
  const fill = makeFiller({ properties: JSON.parse('{"__proto__":{"default":{"admin":true}}}') })!;
  const filled = fill({}) as { admin?: boolean };
  assert.equal(filled.admin, undefined);
  assert.ok(Object.hasOwn(filled, '__proto__'));
  const kept = fill(JSON.parse('{"__proto__":{"x":1}}')) as object;
  assert.equal(Object.getPrototypeOf(kept), Object.prototype);
});
