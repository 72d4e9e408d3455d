import type { Blame, Finding, Severity } from '../../../src/rules/finding.ts';
import type { Tone } from './Badge.tsx';

/** The same thing found again and again, as one. */
export interface FindingGroup {
  readonly key: string;
  /** The first of them. */
  readonly finding: Finding;
  readonly count: number;
  /** The lines of all of them, each once, in order; of many the first and the last. */
  readonly evidence: readonly number[];
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };
const MAX_LINES = 6;

function keyOf({ rule, severity, blame, message, subject, session }: Finding): string {
  return [rule, severity, blame, subject, session, message].join('\n');
}

function someOf(lines: ReadonlySet<number>): readonly number[] {
  const all = [...lines].sort((a, b) => a - b);
  return all.length <= MAX_LINES ? all : [...all.slice(0, MAX_LINES - 2), ...all.slice(-2)];
}

/** Findings that say the same, together; the worst first, else in the order they were found. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const groups = new Map<string, { finding: Finding; count: number; lines: Set<number> }>();
  for (const finding of findings) {
    const key = keyOf(finding);
    const group = groups.get(key) ?? { finding, count: 0, lines: new Set<number>() };
    groups.set(key, group);
    group.count += 1;
    for (const n of finding.evidence) group.lines.add(n);
  }
  return [...groups]
    .map(([key, { finding, count, lines }]) => ({ key, finding, count, evidence: someOf(lines) }))
    .sort((a, b) => RANK[a.finding.severity] - RANK[b.finding.severity]);
}

/** How the side is shown that a finding is about. Nobody is accused by what is only worth knowing. */
export function blameTone(blame: Blame, severity: Severity): Tone {
  if (blame === 'unknown' || severity === 'info') return 'plain';
  return severity === 'error' ? 'bad' : 'warn';
}
