import type { LiveServer } from '../session/live.ts';
import type { CheckRow } from '../rules/finding.ts';
import { type Answer, judge, updated } from './judge.ts';
import type { SavedTest, TestFile } from './test-file.ts';

/** What came of the tests: a row each, and the file as it would have to be for all of them to pass. */
export interface TestRun {
  readonly rows: readonly CheckRow[];
  readonly updated: TestFile;
}

const answerOf = async (
  server: LiveServer,
  { method, params }: SavedTest,
  key: string,
): Promise<Answer & { readonly evidence: number[] }> => {
  const answer = await server.request({ method, params, key });
  return {
    outcome: answer.outcome,
    text: answer.result ?? answer.error ?? JSON.stringify({ problem: answer.problem?.message ?? answer.outcome }),
    ms: answer.ms,
    evidence: [answer.request, answer.response].filter((n) => n !== undefined),
  };
};

/** Runs saved calls one after the other against a server that is connected. */
export const runTests = async (server: LiveServer, file: TestFile): Promise<TestRun> => {
  const rows: CheckRow[] = [];
  const tests: SavedTest[] = [];
  for (const [index, test] of file.tests.entries()) {
    const answer = await answerOf(server, test, `test-${index}`);
    const problems = judge(answer, test.expect);
    tests.push({ ...test, expect: updated(test.expect, answer) });
    rows.push({
      group: 'test',
      id: test.name,
      title: test.name,
      status: problems.length === 0 ? 'pass' : 'fail',
      ms: answer.ms,
      findings: problems.map((message) => ({
        rule: 'saved-test',
        severity: 'error',
        blame: 'unknown',
        message,
        evidence: answer.evidence,
      })),
    });
  }
  return { rows, updated: { ...file, tests } };
};
