import type { DoctorStep, ProblemView } from '../../../src/api/views.ts';
import type { Finding } from '../../../src/rules/finding.ts';

// Several sources report the same failure: the request, a step of the doctor, a rule. A card shows each fact only once.

/** The share of the words of the shorter text that must be in the longer one. */
const SHARE = 0.7;

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Returns whether two texts say the same in other words. */
export function isSaid(text: string, before: string): boolean {
  const [fewer, more] = [wordsOf(text), wordsOf(before)].toSorted((a, b) => a.size - b.size) as [
    ReadonlySet<string>,
    ReadonlySet<string>,
  ];
  const shared = [...fewer].filter((word) => more.has(word)).length;
  return fewer.size > 0 && shared >= SHARE * fewer.size;
}

/** A failure without repetitions. */
export interface Failure {
  /** The problem, with the lines that others cite for it. */
  readonly problem: ProblemView;
  /** The findings that repeat the problem; their rules are named with it. */
  readonly same: readonly Finding[];
  /** The other findings. */
  readonly findings: readonly Finding[];
  /** The steps of the doctor; those that repeat the problem have no text. */
  readonly steps: readonly DoctorStep[];
}

function isAbout(lines: ReadonlySet<number>, evidence: readonly number[]): boolean {
  return evidence.some((n) => lines.has(n));
}

function withoutWords({ detail: _detail, fix: _fix, ...step }: DoctorStep): DoctorStep {
  return step;
}

/**
 * Removes repetitions of a problem from findings and steps: those about the same lines, in about the same words. If a rule
 * repeats the problem, its findings about other lines with the same words are removed as well.
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
  // If a server is started twice, because one era is tried first, it fails twice for the same reason.
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
