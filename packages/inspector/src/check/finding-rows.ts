import type { CheckRow, Finding } from '../rules/finding.ts';

const STATUS: Readonly<Record<Finding['severity'], CheckRow['status']>> = {
  error: 'fail',
  warning: 'warn',
  info: 'pass',
};
const RANK: Readonly<Record<Finding['severity'], number>> = { error: 2, warning: 1, info: 0 };

/** One row for each rule with findings, the worst first, and one row with the number of things checked. */
export function findingRows(
  group: CheckRow['group'],
  findings: readonly Finding[],
  titleOf: (rule: string) => string,
  looked: { readonly title: string; readonly detail: string },
): CheckRow[] {
  const byRule = new Map<string, Finding[]>();
  for (const finding of findings) byRule.set(finding.rule, [...(byRule.get(finding.rule) ?? []), finding]);
  const worst = (all: readonly Finding[]): Finding =>
    all.reduce((a, b) => (RANK[b.severity] > RANK[a.severity] ? b : a));
  const rows = [...byRule].map(([rule, all]): CheckRow => ({
    group,
    id: rule,
    title: titleOf(rule),
    status: STATUS[worst(all).severity],
    detail: `${all.length} ${all.length === 1 ? 'finding' : 'findings'}`,
    findings: all,
  }));
  const order: readonly CheckRow['status'][] = ['fail', 'warn', 'pass', 'skip'];
  return [
    ...rows.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status)),
    { group, id: 'looked', title: looked.title, status: 'pass', detail: looked.detail, findings: [] },
  ];
}
