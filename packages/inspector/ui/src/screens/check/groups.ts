import type { CheckRow } from '../../../../src/rules/finding.ts';

/** The groups that can be selected. `baseline` is selected by choosing a file. */
export const GROUPS = [
  { id: 'lint', label: 'Names and schemas' },
  { id: 'wire', label: 'Every message' },
  { id: 'era', label: 'Every revision' },
  { id: 'load', label: 'Light load' },
] as const;

const TITLES: Readonly<Record<CheckRow['group'], string>> = {
  doctor: 'Connection',
  lint: 'Names and schemas',
  wire: 'Every message',
  era: 'Every revision',
  baseline: 'Compared with the baseline',
  load: 'Load',
  test: 'Tests',
};

export interface Section {
  readonly group: CheckRow['group'];
  readonly title: string;
  readonly rows: readonly CheckRow[];
}

/** The rows by group, in their original order. */
export function sectionsOf(rows: readonly CheckRow[]): readonly Section[] {
  const groups = new Map<CheckRow['group'], CheckRow[]>();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [...groups].map(([group, own]) => ({ group, title: TITLES[group], rows: own }));
}

const STATUSES: readonly CheckRow['status'][] = ['fail', 'warn', 'pass', 'skip'];

/** The number of rows for each outcome, the worst first. */
export function tallyOf(rows: readonly CheckRow[]): readonly (readonly [CheckRow['status'], number])[] {
  return STATUSES.map((status) => [status, rows.filter((row) => row.status === status).length] as const).filter(
    ([, many]) => many > 0,
  );
}

/** Returns whether a session belongs to a server. Sessions are named after their server: `weather#2`, `weather.legacy#1`. */
export function isSessionOf(session: string | undefined, server: string): boolean {
  return session === undefined || session.replace(/(?:\.legacy)?#\d+$/, '') === server;
}
