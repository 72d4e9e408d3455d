import type { Blame, Finding, Severity } from '../../../src/rules/finding.ts';
import type { Tone } from './Badge.tsx';

/** Equal findings as one group. */
export interface FindingGroup {
  readonly key: string;
  /** The first finding of the group. */
  readonly finding: Finding;
  readonly count: number;
  /** The lines of all findings, each once, in order; if there are many, only the first and the last ones. */
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

/** Groups equal findings, most severe first, otherwise in the order in which they were found. */
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

/** The colour for the side of a finding. `info` blames no one. */
export function blameTone(blame: Blame, severity: Severity): Tone {
  if (blame === 'unknown' || severity === 'info') return 'plain';
  return severity === 'error' ? 'bad' : 'warn';
}
