import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatIssues } from './issue.ts';

test('issues become one short line', () => {
  const text = formatIssues([
    { path: ['a', 'b'], message: 'must be >= 1' },
    { path: ['c'], message: 'is required' },
    { path: ['list', 0, 'x'], message: 'is not allowed' },
    { path: [], message: 'must be an object' },
  ]);
  assert.equal(text, 'a.b: must be >= 1; c: is required; list[0].x: is not allowed; must be an object');
  assert.equal(formatIssues([]), '');
});

test('names that are not identifiers are quoted, long ones shortened, control characters escaped', () => {
  assert.equal(formatIssues([{ path: ['', 'a b', 'ü', 'a"b'], message: 'x' }]), '[""]["a b"]["ü"]["a\\"b"]: x');
  assert.equal(formatIssues([{ path: ['\u001b[31m\u202e'], message: 'x' }]), '["\\u001b[31m\\u202e"]: x');
  assert.ok(formatIssues([{ path: ['a'.repeat(1_000)], message: 'x' }]).length < 100);
  assert.ok(formatIssues([{ path: [' '.repeat(1_000)], message: 'x' }]).length < 100);
});

test('at most ten issues are included', () => {
  const issues = Array.from({ length: 15 }, () => ({ path: [], message: 'x' }));
  assert.equal(formatIssues(issues), `${'x; '.repeat(10)}and 5 more`);
});
