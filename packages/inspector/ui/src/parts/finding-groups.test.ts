import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../../src/rules/finding.ts';
import { blameTone, groupFindings } from './finding-groups.ts';

function finding(some: Partial<Finding>): Finding {
  return {
    rule: 'r',
    severity: 'warning',
    blame: 'server',
    message: 'm',
    evidence: [],
    ...some,
  };
}

test('equal findings are one group with the lines of all', () => {
  const groups = groupFindings([
    finding({ evidence: [4, 2] }),
    finding({ evidence: [2, 9] }),
    finding({ message: 'other' }),
  ]);
  assert.deepEqual(
    groups.map(({ count, evidence }) => [count, evidence]),
    [
      [2, [2, 4, 9]],
      [1, []],
    ],
  );
});

test('findings that differ in one member are separate groups', () => {
  const parts: Partial<Finding>[] = [
    {},
    { rule: 'x' },
    { blame: 'client' },
    { subject: 'x' },
    { session: 'x' },
    { severity: 'info' },
  ];
  assert.equal(groupFindings(parts.map(finding)).length, parts.length);
});

test('the most severe come first', () => {
  const groups = groupFindings((['info', 'warning', 'error'] as const).map((severity) => finding({ severity })));
  assert.deepEqual(
    groups.map(({ finding: { severity } }) => severity),
    ['error', 'warning', 'info'],
  );
});

test('if there are many lines, the first and the last are shown', () => {
  const [group] = groupFindings(Array.from({ length: 50 }, (_, n) => finding({ evidence: [n + 1] })));
  assert.deepEqual(group!.evidence, [1, 2, 3, 4, 49, 50]);
  assert.equal(group!.count, 50);
});

test('only the side that broke a rule is shown in red', () => {
  assert.deepEqual(
    [
      blameTone('server', 'error'),
      blameTone('server', 'warning'),
      blameTone('server', 'info'),
      blameTone('unknown', 'error'),
    ],
    ['bad', 'warn', 'plain', 'plain'],
  );
});
