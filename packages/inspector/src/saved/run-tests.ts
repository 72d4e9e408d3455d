import type { LiveServer } from '../session/live.ts';
import type { CheckRow } from '../rules/finding.ts';
import { type Answer, mismatches, updated } from './expectation.ts';
import type { SavedTest, TestFile } from './test-file.ts';

/** The result of the tests: one row each, and the file with which all of them would pass. */
export interface TestRun {
  /** In the order of the file. */
  readonly rows: readonly CheckRow[];
  /** The file, with the current answers as expectations. */
  readonly updated: TestFile;
  /** Names of the tests that fail with that file, too: there was no answer, or they check something other than a value. */
  readonly left: readonly string[];
}

async function answerOf(
  server: LiveServer,
  { method, params }: SavedTest,
  key: string,
): Promise<Answer & { readonly evidence: number[] }> {
  const answer = await server.request({ method, params, key });
  return {
    outcome: answer.outcome,
    text: answer.result ?? answer.error ?? JSON.stringify({ problem: answer.problem?.message ?? answer.outcome }),
    ms: answer.ms,
    evidence: [answer.request, answer.response].filter((n) => n !== undefined),
  };
}

/**
 * Runs saved calls one after the other against a connected server. A wrong answer is a row that fails. Rejects with a
 * `WorkbenchError` if the server is not connected.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { readTestFile, runTests, withIsolatedServer } from '@tenon/inspector';
 *
 * const file = readTestFile(await readFile('mcp.test.json', 'utf8'));
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * const { rows } = await withIsolatedServer(target, { by: 'my tool 1.0' }, async ({ server }) => {
 *   await server.connect(undefined);
 *   return runTests(server, file);
 * });
 * ```
 */
export async function runTests(server: LiveServer, file: TestFile): Promise<TestRun> {
  const rows: CheckRow[] = [];
  const tests: SavedTest[] = [];
  const left: string[] = [];
  for (const [index, test] of file.tests.entries()) {
    const answer = await answerOf(server, test, `test-${index}`);
    const problems = mismatches(answer, test.expect);
    const expect = updated(test.expect, answer);
    tests.push({ ...test, expect });
    if (mismatches(answer, expect).length > 0) left.push(test.name);
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
  return { rows, updated: { ...file, tests }, left };
}
