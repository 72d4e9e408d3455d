import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import * as fc from 'fast-check';
import { encodeJson, JsonError, parseJson } from './json.ts';
import type { JsonErrorReason } from './json.ts';

/** The error with which `work` fails. */
function failure(work: () => unknown): JsonError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error));
    return error;
  }
  return assert.fail('nothing was thrown');
}

function reason(text: string, limits?: { depth: number; elements: number }): JsonErrorReason | undefined {
  try {
    parseJson(text, limits);
    return undefined;
  } catch (error) {
    return error instanceof JsonError ? error.reason : assert.fail(String(error));
  }
}

function arrays(depth: number) {
  return '['.repeat(depth) + ']'.repeat(depth);
}
function objects(depth: number) {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

test('JSON is parsed as JSON.parse does', () => {
  for (const text of ['{"a":[1,2.5e3,null,true,"\\u00e9\\n"]}', ' [ ] ', '"x"', '0', 'null', '{"a":1,"a":2}']) {
    assert.deepEqual(parseJson(text), JSON.parse(text));
  }
});

test('a member named __proto__ is data, and the last of two members with the same name counts', () => {
  const value = parseJson(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"a":1,"a":2}',
  ) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor', 'a']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.equal(value['a'], 2);
});

test('128 levels are read, 129 are not', () => {
  for (const nest of [arrays, objects]) {
    assert.equal(reason(nest(128)), undefined);
    assert.equal(reason(nest(129)), 'depth');
  }
  assert.equal(reason(`{"a":${arrays(127)}}`), undefined);
  assert.equal(reason(`{"a":${arrays(128)}}`), 'depth');
  assert.equal(reason(`[${`${arrays(100)},`.repeat(100)}1]`), undefined);
});

test('brackets in strings do not count as nesting', () => {
  assert.equal(reason(`{"${'['.repeat(500)}":"${'{\\"[\\\\'.repeat(500)}"}`), undefined);
  assert.equal(reason(`["\\\\",${arrays(128)}]`), 'depth');
  assert.equal(reason(`["\\"",${arrays(128)}]`), 'depth');
  assert.equal(reason(`["${']'.repeat(200)}",${arrays(128)}]`), 'depth');
});

test('values are counted: members and elements of all levels', () => {
  const limits = { depth: 128, elements: 4 };
  for (const text of [
    '[1,2,3,4]',
    '{"a":1,"b":[1],"c":2}',
    '[[],{},[ ],{\n}]',
    '[[1],[2]]',
    '[",,,,,,,,",1,2,3]',
    '[]',
    '1',
  ]) {
    assert.equal(reason(text, limits), undefined, text);
  }
  for (const text of [
    '[1,2,3,4,5]',
    '{"a":1,"b":[1],"c":2,"d":1}',
    '[[],{},[ ],{\n},[]]',
    '[[1],[2],[]]',
    '[[[[[1]]]]]',
  ]) {
    assert.equal(reason(text, limits), 'elements', text);
  }
  assert.equal(reason(`[${'1,'.repeat(199_999)}1]`), undefined);
  assert.equal(reason(`[${'1,'.repeat(200_000)}1]`), 'elements');
});

test('hostile texts of 10 MiB are refused with a typed error in linear time', () => {
  const size = 10 * 1024 * 1024;
  const full = (piece: string, start = '', end = '') => start + piece.repeat(Math.floor(size / piece.length)) + end;
  const texts: Record<string, readonly [text: string, expected: JsonErrorReason | undefined]> = {
    '500,000 arrays': [arrays(500_000), 'depth'],
    '500,000 objects': [objects(500_000), 'depth'],
    'open arrays': [full('['), 'depth'],
    numbers: [full('1,', '[', '1]'), 'elements'],
    'empty arrays': [full('[],', '[', '[]]'), 'elements'],
    members: [full('"a":1,', '{', '"a":1}'), 'elements'],
    quotes: [full('"'), 'syntax'],
    escapes: [full('\\"', '"', '"'), undefined],
    backslashes: [full('\\\\', '"', '"'), undefined],
    spaces: [full(' ', '['), 'syntax'],
    'brackets in a string': [full('[', '"', '"'), undefined],
  };
  for (const [name, [text, expected]] of Object.entries(texts)) {
    assert.equal(
      withinCpuMs(1_000, () => reason(text), name),
      expected,
      name,
    );
  }
});

test('an error contains no part of the input', () => {
  for (const text of [
    '{"password":hunter2}',
    'hunter2',
    '["hunter2" "at position 7"',
    '{"hunter2',
    `${arrays(200)}hunter2`,
  ]) {
    const error = failure(() => parseJson(text));
    assert.match(error.message, /^(Invalid JSON( at position \d+)?|JSON is nested deeper than 128 levels)$/);
    assert.equal(error.cause, undefined);
  }
});

test('the position of a syntax error is reported if the engine knows it', () => {
  assert.equal(failure(() => parseJson('{"a":1')).reason, 'syntax');
  assert.equal(failure(() => parseJson('')).position, 0);
  assert.equal(failure(() => parseJson('{a}')).position, 1);
  assert.equal(failure(() => parseJson('{a}')).message, 'Invalid JSON at position 1');
});

test('parsing is total: any text gives a value or a JsonError, and the same value as JSON.parse', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ':', '1', ' ', '{"a":', 'null') }),
  );
  const limits = fc.record({ depth: fc.integer({ min: 1, max: 6 }), elements: fc.integer({ min: 1, max: 12 }) });
  fc.assert(
    fc.property(text, limits, (source, bounds) => {
      const measured = measure(source);
      const expected =
        measured &&
        (measured.depth > bounds.depth ? 'depth' : measured.elements > bounds.elements ? 'elements' : undefined);
      const got = reason(source, bounds);
      if (measured === undefined) assert.ok(got !== undefined);
      else if (expected === undefined) assert.deepEqual(parseJson(source, bounds), JSON.parse(source));
      else assert.ok(got === 'depth' || got === 'elements', source);
      if (expected === undefined && measured) assert.equal(got, undefined);
    }),
    { numRuns: 2000 },
  );
});

/** Depth and number of values, measured on the parsed value; undefined if the text is not JSON. */
function measure(source: string): { depth: number; elements: number } | undefined {
  let elements = 0;
  const depthOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const members = Object.values(value);
    elements += members.length;
    return 1 + Math.max(0, ...members.map(depthOf));
  };
  try {
    return { depth: depthOf(JSON.parse(source)), elements };
  } catch {
    return undefined;
  }
}

test('[STDIO-2] the output is one line', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, key) => {
      const text = encodeJson({ [key]: value, text: `${key}\r\n\u2028` });
      assert.ok(!/[\r\n]/.test(text));
      assert.deepEqual(parseJson(text), JSON.parse(JSON.stringify({ [key]: value, text: `${key}\r\n\u2028` })));
    }),
  );
});

test('[BASE-2] lone surrogates are escaped, so that the text is valid UTF-8', () => {
  const text = encodeJson({ a: 'x\ud800', '\udc00': 1 });
  assert.deepEqual(new TextDecoder().decode(new TextEncoder().encode(text)), text);
  assert.deepEqual(JSON.parse(text), { a: 'x\ud800', '\udc00': 1 });
});

test('a value that JSON cannot represent is a typed error that names the member', () => {
  const cycle: Record<string, unknown> = { a: { b: {} } };
  (cycle['a'] as Record<string, unknown>)['loop'] = cycle;
  const cases: readonly (readonly [value: unknown, reason: JsonErrorReason, message: RegExp])[] = [
    [undefined, 'value', /^JSON has no undefined$/],
    [() => 1, 'value', /^JSON has no function$/],
    [Symbol('x'), 'value', /^JSON has no symbol$/],
    [1n, 'value', /^JSON has no BigInt: use a number or a string$/],
    [{ result: { count: 1n } }, 'value', /BigInt at member 'count'/],
    [cycle, 'cycle', /^The value contains itself at member 'loop'$/],
    [
      { x: { toJSON: () => assert.fail('secret') } },
      'value',
      /^The value cannot be written as JSON: it threw an error$/,
    ],
  ];
  for (const [value, expected, message] of cases) {
    const error = failure(() => encodeJson(value));
    assert.equal(error.reason, expected);
    assert.match(error.message, message);
  }
  assert.ok(failure(() => encodeJson({ a: 1n })).cause instanceof TypeError);
});

test('a value too deep for the engine is a typed error, not a stack overflow', () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 500_000; depth++) value = [value];
  const error = failure(() => encodeJson(value));
  assert.equal(error.reason, 'depth');
  assert.doesNotMatch(error.message, /stack/i);
});
