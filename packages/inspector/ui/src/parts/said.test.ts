import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemView } from '../../../src/api/views.ts';
import type { Finding } from '../../../src/rules/finding.ts';
import { failureOf, isSaid } from './said.ts';

const problem: ProblemView = {
  message: 'The server exited with code 3. Its stderr: DATABASE_URL missing',
  blame: 'server',
  evidence: [4, 5],
};

function finding(message: string, evidence: readonly number[]): Finding {
  return { rule: 'exited', severity: 'error', blame: 'server', message, evidence };
}

test('two texts with the same words say the same, whatever is between the words', () => {
  assert.ok(isSaid('exited with code 3; on stderr: DATABASE_URL missing', problem.message));
  assert.ok(!isSaid('A line of stdout is no message: Listening on port 80', problem.message));
  assert.ok(!isSaid('', problem.message));
});

test('each fact of a failure is shown once: repetitions by a rule and a step are dropped, and the rule is named', () => {
  const again = finding(
    'The server exited with code 3 before it sent anything. Its stderr: "DATABASE_URL missing"',
    [4, 6],
  );
  const other = finding('A line of stdout is no message: Listening on port 80', [5]);
  const twice = { ...again, evidence: [2] };
  const elsewhere = { ...again, rule: 'other', evidence: [9] };
  const step = { id: 'spawn', title: 'The process starts', status: 'fail' } as const;
  const failure = failureOf(
    problem,
    [again, other, twice, elsewhere],
    [
      { ...step, detail: 'exited with code 3; on stderr: DATABASE_URL missing', fix: 'Start it', evidence: [1, 5] },
      { ...step, detail: 'exited with code 3; on stderr: DATABASE_URL missing', evidence: [2] },
    ],
  );
  assert.deepEqual(failure.same, [again, twice]);
  assert.deepEqual(failure.findings, [other, elsewhere]);
  assert.deepEqual(failure.problem.evidence, [2, 4, 5, 6]);
  assert.deepEqual(
    failure.steps.map(({ detail, fix, evidence }) => [detail, fix, evidence]),
    [
      [undefined, undefined, [1, 5]],
      ['exited with code 3; on stderr: DATABASE_URL missing', undefined, [2]],
    ],
  );
});
