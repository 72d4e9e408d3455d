import type { CheckRow, Finding } from '@tenon/inspector';
import { oneLine } from '../terminal/printable.ts';

const MARKS: Readonly<Record<CheckRow['status'], string>> = { pass: '✔', warn: '!', fail: '✘', skip: '-' };
const MAX_LENGTH = 400;
/** Maximum findings printed for one row; the JSON output has all. */
const MAX_FINDINGS = 20;
/** Maximum infos printed for a row that passed. */
const MAX_INFOS = 3;

function findingLines({ severity, blame, subject, message, fix, evidence }: Finding): string[] {
  return [
    `      ${severity}, ${blame}: ${subject === undefined ? '' : `${oneLine(subject, 120)}: `}${oneLine(message, MAX_LENGTH)}${
      evidence.length === 0
        ? ''
        : ` [${evidence
            .slice(0, 5)
            .map((n) => `#${n}`)
            .join(' ')}]`
    }`,
    ...(fix === undefined ? [] : [`        ${oneLine(fix, MAX_LENGTH)}`]),
  ];
}

/** The rows as text: one line each, and its findings below. */
export function rowsText(rows: readonly CheckRow[]): string {
  const width = Math.min(48, Math.max(0, ...rows.map(({ title }) => title.length)));
  return rows
    .flatMap(({ status, title, detail, ms, findings }) => {
      const most = status === 'pass' ? MAX_INFOS : MAX_FINDINGS;
      return [
        `${MARKS[status]} ${title.padEnd(width)}${ms === undefined ? '' : ` ${ms.toFixed(ms < 10 ? 1 : 0)} ms`}${
          detail === undefined ? '' : `  ${oneLine(detail, MAX_LENGTH)}`
        }`.trimEnd(),
        ...findings.slice(0, most).flatMap(findingLines),
        ...(findings.length > most ? [`      and ${findings.length - most} more; --json has all`] : []),
      ];
    })
    .join('\n');
}

/** `3 passed, 1 failed, 2 with warnings, 0 left out` */
export function rowsSummary(rows: readonly CheckRow[]): string {
  const count = (status: CheckRow['status']): number => rows.filter((row) => row.status === status).length;
  return `${count('pass')} passed, ${count('fail')} failed, ${count('warn')} with warnings, ${count('skip')} left out`;
}
