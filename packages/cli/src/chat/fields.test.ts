import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countProblem, type Field, fieldsOf, problemOf, shownValue } from './fields.ts';

function field(schema: Record<string, unknown>, required = false): Field {
  return fieldsOf({ type: 'object', properties: { x: schema }, required: required ? ['x'] : [] }, {})[0]!;
}

test('choices are read in the variants of all revisions', () => {
  const wanted = [
    { value: 'a', title: 'A' },
    { value: 'b', title: 'b' },
  ];
  for (const schema of [
    { type: 'string', enum: ['a', 'b'], enumNames: ['A'] },
    { type: 'string', oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
    { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] } },
  ])
    assert.deepEqual(field(schema).choices, wanted);
  assert.equal(field({ type: 'array', items: { type: 'string', enum: ['a'] } }).kind, 'several');
  assert.equal(field({ type: 'string', enum: ['a'] }).kind, 'one');
});

test('invalid input is explained in a sentence', () => {
  const cases: [Record<string, unknown>, string, RegExp | undefined][] = [
    [{ type: 'string', format: 'email' }, 'ann', /email/],
    [{ type: 'string', format: 'email' }, 'ann@example.com', undefined],
    [{ type: 'string', format: 'uri' }, 'example.com', /full URL/],
    [{ type: 'string', format: 'date' }, '2026-02-30', /date/],
    [{ type: 'string', format: 'date' }, '2026-02-28', undefined],
    [{ type: 'string', format: 'date-time' }, '2026-02-28T12:00:00Z', undefined],
    [{ type: 'string', format: 'date-time' }, '2026-02-28 noon', /zone/],
    [{ type: 'string', minLength: 2 }, '😀', /At least 2/],
    [{ type: 'string', maxLength: 2 }, 'abc', /At most 2/],
    [{ type: 'integer' }, '1.5', /whole/],
    [{ type: 'number' }, 'one', /number/],
    [{ type: 'number', minimum: 3 }, '2', /At least 3/],
    [{ type: 'number', maximum: 3 }, '4', /At most 3/],
    [{ type: 'number' }, '1e3', undefined],
    [{ type: 'number' }, ' 5 ', undefined],
    [{ type: 'number' }, '0x10', /number/],
    [{ type: 'number' }, '-0.25', undefined],
    // These would be sent as other numbers.
    [{ type: 'integer' }, '9007199254740993', /would be changed/],
    [{ type: 'number' }, '0.12345678901234567890', /would be changed/],
    [{ type: 'number' }, '1e400', /would be changed/],
    [{ type: 'integer' }, '9007199254740992', undefined],
  ];
  for (const [schema, text, wanted] of cases) {
    const problem = problemOf(text, field(schema));
    if (wanted === undefined) assert.equal(problem, undefined, text);
    else assert.match(problem ?? '', wanted, text);
  }
});

test('only required fields without a default must be answered', () => {
  assert.match(problemOf('', field({ type: 'string' }, true)) ?? '', /needed/);
  assert.equal(problemOf('', field({ type: 'string' })), undefined);
  assert.equal(problemOf('', field({ type: 'string', default: 'x', minLength: 1 }, true)), undefined);
  assert.match(countProblem([], field({ type: 'array', items: { enum: ['a'] } }, true)) ?? '', /at least 1/);
  assert.match(
    countProblem(['a', 'b'], field({ type: 'array', maxItems: 1, items: { enum: ['a', 'b'] } })) ?? '',
    /at most 1/,
  );
  assert.equal(countProblem([], field({ type: 'array', minItems: 2, items: { enum: ['a'] } })), undefined);
});

test('as many values may be chosen as the schema allows, from the least to the most', () => {
  const two = field({ type: 'array', minItems: 2, maxItems: 2, items: { enum: ['a', 'b', 'c'] } });
  assert.match(countProblem(['a'], two) ?? '', /at least 2/);
  assert.equal(countProblem(['a', 'b'], two), undefined);
  assert.match(countProblem(['a', 'b', 'c'], two) ?? '', /at most 2/);
});

test('a value is shown by its title, and escaped', () => {
  const wood = field({ oneOf: [{ const: 'o', title: 'Oak\u001b[2J' }] });
  assert.equal(shownValue('o', wood), 'Oak\\u001b[2J');
  assert.equal(shownValue(undefined, wood), '(left empty)');
  assert.equal(shownValue(true, wood), 'yes');
});

test('an invalid form has no fields', () => {
  for (const schema of [{}, { properties: null }, { properties: [] }, { properties: 'x' }])
    assert.deepEqual(fieldsOf(schema, {}), []);
});

test('a required field without a schema can be answered', () => {
  const fields = fieldsOf({ type: 'object', properties: { a: { type: 'number' } }, required: ['b', 'a', 3, 'b'] }, {});
  assert.deepEqual(
    fields.map(({ name, kind, required }) => [name, kind, required]),
    [
      ['a', 'number', true],
      ['b', 'text', true],
    ],
  );
  assert.equal(fieldsOf({ type: 'object', required: ['x'] }, {}).length, 1);
});

test('a default that its own field does not accept is ignored', () => {
  assert.equal(field({ type: 'string', minLength: 1, default: '' }).initial, undefined);
  assert.equal(field({ type: 'integer', default: 1.5 }).initial, undefined);
  assert.equal(field({ type: 'string', enum: ['a'], default: 'b' }).initial, undefined);
  assert.deepEqual(field({ type: 'array', items: { type: 'string', enum: ['a'] }, default: ['a'] }).initial, ['a']);
});
