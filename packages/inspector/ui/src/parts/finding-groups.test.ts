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

test('what says the same is one, with the lines of all', () => {
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

test('what differs in one part is not the same', () => {
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

test('the worst come first', () => {
  const groups = groupFindings((['info', 'warning', 'error'] as const).map((severity) => finding({ severity })));
  assert.deepEqual(
    groups.map(({ finding: { severity } }) => severity),
    ['error', 'warning', 'info'],
  );
});

test('of many lines the first and the last are shown', () => {
  const [group] = groupFindings(Array.from({ length: 50 }, (_, n) => finding({ evidence: [n + 1] })));
  assert.deepEqual(group!.evidence, [1, 2, 3, 4, 49, 50]);
  assert.equal(group!.count, 50);
});

test('in red stands only the side that broke a rule', () => {
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
