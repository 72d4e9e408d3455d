import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckRow } from '../../../../src/rules/finding.ts';
import { isSessionOf, sectionsOf, tallyOf } from './groups.ts';

function row(group: CheckRow['group'], id: string, status: CheckRow['status']): CheckRow {
  return {
    group,
    id,
    title: id,
    status,
    findings: [],
  };
}

test('rows are grouped, in their original order', () => {
  const sections = sectionsOf([row('lint', 'a', 'warn'), row('era', 'b', 'pass'), row('lint', 'c', 'pass')]);
  assert.deepEqual(
    sections.map(({ group, rows }) => [group, rows.map(({ id }) => id)]),
    [
      ['lint', ['a', 'c']],
      ['era', ['b']],
    ],
  );
});

test('the worst outcome comes first, and outcomes without rows are left out', () => {
  const rows = [row('lint', 'a', 'pass'), row('lint', 'b', 'fail'), row('era', 'c', 'pass')];
  assert.deepEqual(tallyOf(rows), [
    ['fail', 1],
    ['pass', 2],
  ]);
});

test('a session belongs to one server, however the names of others begin', () => {
  assert.equal(isSessionOf('weather#2', 'weather'), true);
  assert.equal(isSessionOf('weather.legacy#1', 'weather'), true);
  assert.equal(isSessionOf('weather-2#1', 'weather'), false);
  assert.equal(isSessionOf(undefined, 'weather'), true);
});
