import type { DoctorStep, ProblemView } from '../../../src/api/views.ts';
import type { Finding } from '../../../src/rules/finding.ts';

// A failure is seen by several: by who waited for the answer, by a step of the doctor, by a rule. On one card each fact is said once.

/** That many of the words of the shorter text are in the longer one, where both say the same. */
const SHARE = 0.7;

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Do two texts say the same in other words? */
export function isSaid(text: string, before: string): boolean {
  const [fewer, more] = [wordsOf(text), wordsOf(before)].toSorted((a, b) => a.size - b.size) as [
    ReadonlySet<string>,
    ReadonlySet<string>,
  ];
  const shared = [...fewer].filter((word) => more.has(word)).length;
  return fewer.size > 0 && shared >= SHARE * fewer.size;
}

/** What is shown of a failure. */
export interface Failure {
  /** The problem, with the lines that others cite for the same. */
  readonly problem: ProblemView;
  /** The findings that say what the problem says: their rules are named with it. */
  readonly same: readonly Finding[];
  /** Findings that say more. */
  readonly findings: readonly Finding[];
  /** The steps of the doctor, of which those that failed of the same only say that they did. */
  readonly steps: readonly DoctorStep[];
}

function isAbout(lines: ReadonlySet<number>, evidence: readonly number[]): boolean {
  return evidence.some((n) => lines.has(n));
}

function withoutWords({ detail: _detail, fix: _fix, ...step }: DoctorStep): DoctorStep {
  return step;
}

/**
 * Takes out of findings and steps what the problem has said: about the same lines, in about the same words. Of a rule that says so, also what
 * it says of other lines.
 */
export function failureOf(
  problem: ProblemView,
  findings: readonly Finding[],
  steps: readonly DoctorStep[] = [],
): Failure {
  const lines = new Set(problem.evidence);
  const isSame = (evidence: readonly number[], text: string): boolean =>
    isAbout(lines, evidence) && isSaid(text, problem.message);
  const rules = new Set(findings.filter(({ evidence, message }) => isSame(evidence, message)).map(({ rule }) => rule));
  // A server that is started twice, because an era is tried first, fails twice of the same.
  const same = findings.filter(({ rule, message }) => rules.has(rule) && isSaid(message, problem.message));
  const evidence = [...new Set([...lines, ...same.flatMap((finding) => finding.evidence)])].toSorted((a, b) => a - b);
  return {
    problem: { ...problem, evidence },
    same,
    findings: findings.filter((finding) => !same.includes(finding)),
    steps: steps.map((step) =>
      step.status === 'fail' && step.detail !== undefined && isSame(step.evidence, step.detail)
        ? withoutWords(step)
        : step,
    ),
  };
}
