import type { Change } from '../compare/change.ts';
import type { CheckRow, Finding } from '../rules/finding.ts';

const SEVERITY: Readonly<Record<Change['level'], Finding['severity']>> = {
  breaking: 'error',
  risky: 'warning',
  compatible: 'info',
};
const STATUS: Readonly<Record<Change['level'], CheckRow['status']>> = {
  breaking: 'fail',
  risky: 'warn',
  compatible: 'pass',
};
const TITLES: Readonly<Record<Change['level'], string>> = {
  breaking: 'Breaking changes',
  risky: 'Risky changes',
  compatible: 'Compatible changes',
};

/** One row for each level of changes. */
export function changeRows(changes: readonly Change[]): CheckRow[] {
  const rows = (['breaking', 'risky', 'compatible'] as const).flatMap((level): CheckRow[] => {
    const own = changes.filter((change) => change.level === level);
    if (own.length === 0) return [];
    return [
      {
        group: 'baseline',
        id: level,
        title: TITLES[level],
        status: STATUS[level],
        detail: `${own.length} ${own.length === 1 ? 'change' : 'changes'}`,
        findings: own.map(({ path, message }) => ({
          rule: `change-${level}`,
          severity: SEVERITY[level],
          blame: 'server',
          message,
          subject: path,
          evidence: [],
        })),
      },
    ];
  });
  if (rows.length > 0) return rows;
  return [{ group: 'baseline', id: 'same', title: 'Nothing has changed', status: 'pass', findings: [] }];
}
