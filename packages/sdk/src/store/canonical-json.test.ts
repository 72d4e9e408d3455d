import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';

/** The same value with its members in the other order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reordered(member)]),
  );
}

test('the order of members makes no difference, the order of items does', () => {
  assert.equal(canonicalJson({ b: [2, 1], a: { d: null, c: 'x' } }), '{"a":{"c":"x","d":null},"b":[2,1]}');
  fc.assert(fc.property(fc.jsonValue(), (value) => canonicalJson(value) === canonicalJson(reordered(value))));
});

test('canonical JSON has the same meaning as the JSON of the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value))),
    ),
  );
});

test('values that JSON leaves out are left out, and lone surrogates are written as escapes', () => {
  assert.equal(canonicalJson({ a: undefined, b: [undefined, NaN, -0], c: () => 1 }), '{"b":[null,null,0]}');
  // oxlint-disable-next-line no-sparse-arrays -- JSON writes a hole as null.
  assert.equal(canonicalJson([, 1]), '[null,1]');
  assert.equal(canonicalJson({ at: new Date(0) }), '{"at":"1970-01-01T00:00:00.000Z"}');
  assert.equal(canonicalJson('\ud800'), String.raw`"\ud800"`);
  assert.equal(canonicalJson(JSON.parse('{"__proto__":1}')), '{"__proto__":1}');
});

test('a value that contains itself, and one that is nested too deep, are refused', () => {
  const ring: Record<string, unknown> = {};
  ring['left'] = ring;
  ring['right'] = ring;
  assert.throws(() => canonicalJson(ring), /nested deeper than/);
  assert.throws(() => canonicalJson(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)), RangeError);
  assert.throws(() => canonicalJson(1n), TypeError);
});

test('a value may be nested as deep as the caller allows', () => {
  assert.equal(canonicalJson([[1]], 2), '[[1]]');
  assert.throws(() => canonicalJson([[[]]], 2), /nested deeper than 2 levels/);
  const deepest = `${'['.repeat(1_000)}${']'.repeat(1_000)}`;
  assert.equal(canonicalJson(JSON.parse(deepest)), deepest);
});
