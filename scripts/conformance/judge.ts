// What the suite reported, held against what it had to report. Pure: the runner feeds it, a test feeds it fakes.

/** One check of a scenario, as the suite writes it. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** What came of a scenario. */
export interface Outcome {
  readonly scenario: string;
  /** Undefined: the scenario wrote none, because it crashed. */
  readonly checks: readonly Check[] | undefined;
  /** Of the client process, where there was one. */
  readonly exitCode?: number;
}

/** Why a check that is no success is right all the same: `scenario:name`, and the reason. */
export type Excused = ReadonlyMap<string, string>;

export interface Verdict {
  readonly passed: number;
  readonly failures: readonly string[];
}

/**
 * Judges a leg. A scenario that is missing, crashed, proved nothing, warned, or whose client did not exit with 0 has failed,
 * whatever the suite says of it.
 */
export const judge = (expected: readonly string[], outcomes: readonly Outcome[], excused: Excused): Verdict => {
  const failures: string[] = [];
  let passed = 0;
  for (const scenario of expected) {
    const outcome = outcomes.find((one) => one.scenario === scenario);
    const problems = outcome === undefined ? ['was not run'] : problemsOf(outcome, excused);
    if (problems.length === 0) passed++;
    else failures.push(...problems.map((problem) => `${scenario}: ${problem}`));
  }
  return { passed, failures };
};

const problemsOf = ({ scenario, checks, exitCode = 0 }: Outcome, excused: Excused): string[] => {
  if (checks === undefined) return ['wrote no checks: it crashed'];
  const bad = checks.filter(
    ({ name, status }) =>
      (status === 'FAILURE' || status === 'WARNING' || status === 'SKIPPED') && !excused.has(`${scenario}:${name}`),
  );
  return [
    ...bad.map(
      ({ id, status, errorMessage }) => `${status} ${id}${errorMessage === undefined ? '' : `: ${errorMessage}`}`,
    ),
    ...(checks.some(({ status }) => status === 'SUCCESS') ? [] : ['proved nothing: there is no check that passed']),
    ...(exitCode === 0 ? [] : [`the client exited with ${exitCode}`]),
  ];
};
