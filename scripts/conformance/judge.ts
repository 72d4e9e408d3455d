// Compares the suite's results with the expected ones. Pure functions, so that tests can use fake results.

/** One check of a scenario, in the suite's format. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The result of a scenario. */
export interface Outcome {
  readonly scenario: string;
  /** Undefined if the scenario wrote none, because it crashed. */
  readonly checks: readonly Check[] | undefined;
  /** The exit code of the client process, if there was one. */
  readonly exitCode?: number;
}

/** Checks that need not succeed: `scenario:name`, and the reason. */
export type Excused = ReadonlyMap<string, string>;

export interface Verdict {
  readonly passed: number;
  readonly failures: readonly string[];
}

/**
 * Judges a leg. A scenario passes without a successful check only if the suite skips all of it, and that is excused. A scenario that is
 * missing, crashed, had no successful check, warned, or whose client did not exit with 0 has failed, whatever the suite reports.
 */
export function judge(expected: readonly string[], outcomes: readonly Outcome[], excused: Excused): Verdict {
  const failures: string[] = [];
  let passed = 0;
  for (const scenario of expected) {
    const outcome = outcomes.find((one) => one.scenario === scenario);
    const problems = outcome === undefined ? ['was not run'] : problemsOf(outcome, excused);
    if (problems.length === 0) passed++;
    else failures.push(...problems.map((problem) => `${scenario}: ${problem}`));
  }
  return { passed, failures };
}

function problemsOf({ scenario, checks, exitCode = 0 }: Outcome, excused: Excused): string[] {
  if (checks === undefined) return ['wrote no checks: it crashed'];
  const bad = checks.filter(
    ({ name, status }) =>
      (status === 'FAILURE' || status === 'WARNING' || status === 'SKIPPED') && !excused.has(`${scenario}:${name}`),
  );
  return [
    ...bad.map(
      ({ id, status, errorMessage }) => `${status} ${id}${errorMessage === undefined ? '' : `: ${errorMessage}`}`,
    ),
    ...(checks.some(({ status }) => status === 'SUCCESS') || isSkipped(scenario, checks, excused)
      ? []
      : ['no check was successful']),
    ...(exitCode === 0 ? [] : [`the client exited with ${exitCode}`]),
  ];
}

function isSkipped(scenario: string, checks: readonly Check[], excused: Excused): boolean {
  return (
    checks.length > 0 && checks.every(({ name, status }) => status === 'SKIPPED' && excused.has(`${scenario}:${name}`))
  );
}
