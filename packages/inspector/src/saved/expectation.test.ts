import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectationFrom, mismatches, updated } from './expectation.ts';

function answer(text: string, outcome = 'ok', ms = 1) {
  return { outcome, text, ms };
}

test('values are compared by meaning, numbers digit by digit', () => {
  const expect = { outcome: 'ok', checks: [{ at: '/n', equals: '{"b":1,"a":9007199254740993}' }] } as const;
  assert.deepEqual(mismatches(answer('{"n":{"a":9007199254740993,"b":1.0}}'), expect), []);
  assert.match(mismatches(answer('{"n":{"a":9007199254740992,"b":1}}'), expect)[0]!, /\/n is .*992.*expected .*993/);
});

test('every kind of check can fail', () => {
  const rows: [string, Parameters<typeof mismatches>[1]['checks'][number], RegExp | undefined][] = [
    ['{"a":"some text"}', { at: '/a', contains: 'me t' }, undefined],
    ['{"a":"some text"}', { at: '/a', contains: 'other' }, /does not contain "other"/],
    ['{"a":["x","y"]}', { at: '/a', contains: 'y' }, undefined],
    ['{"a":{"x":1}}', { at: '/a', contains: 'y' }, /does not contain/],
    ['{"a":null}', { at: '/a', type: 'null' }, undefined],
    ['{"a":[]}', { at: '/a', type: 'object' }, /of type array, expected object/],
    ['{}', { at: '/a', type: 'object' }, /\/a is missing/],
    ['{}', { at: '/a', equals: '1' }, /\/a is nothing, expected 1/],
    ['{"a~b":{"c/d":1}}', { at: '/a~0b/c~1d', equals: '1' }, undefined],
    ['{"a":[1]}', { at: '/a/-1', equals: '1' }, /nothing/],
    ['{"a":1}', { at: '', equals: '{"a":1}' }, undefined],
  ];
  for (const [text, check, problem] of rows) {
    const [found] = mismatches(answer(text), { outcome: 'ok', checks: [check] });
    if (problem === undefined) assert.equal(found, undefined, text);
    else assert.match(found ?? 'nothing was found', problem, text);
  }
});

test('a different outcome and a long duration are reported', () => {
  assert.match(
    mismatches(answer('{}', 'tool-error'), { outcome: 'ok', checks: [] })[0]!,
    /ended with tool-error, expected ok/,
  );
  assert.match(mismatches(answer('{}', 'ok', 20), { outcome: 'ok', maxMs: 10, checks: [] })[0]!, /took 20 ms/);
});

test('an update takes the current values and keeps the other checks', () => {
  const expect = {
    outcome: 'ok',
    checks: [
      { at: '/a', equals: '1' },
      { at: '/b', type: 'string' },
    ],
  } as const;
  const now = updated(expect, answer('{"a":2,"b":"x"}', 'tool-error'));
  assert.deepEqual(now, {
    outcome: 'tool-error',
    checks: [
      { at: '/a', equals: '2' },
      { at: '/b', type: 'string' },
    ],
  });
});

test('the structured result of a successful call is expected, or the code of an error', () => {
  assert.deepEqual(expectationFrom(answer('{"content":[],"structuredContent":{"sum":3}}')).checks, [
    { at: '/structuredContent', equals: '{"sum":3}' },
  ]);
  assert.deepEqual(expectationFrom(answer('{"code":-32602,"message":"no"}', 'error')), {
    outcome: 'error',
    checks: [{ at: '/code', equals: '-32602' }],
  });
});

test('an update does not accept a call that was never answered', () => {
  const expect = { outcome: 'error', checks: [{ at: '/code', equals: '-32602' }] } as const;
  for (const outcome of ['lost', 'timeout', 'cancelled'])
    assert.deepEqual(updated(expect, answer('{"problem":"the server is gone"}', outcome)), expect);
});
