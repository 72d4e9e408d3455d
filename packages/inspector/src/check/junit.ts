import type { CheckRow, Finding } from '../rules/finding.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML 1.0, which does not allow every character. */
function escaped(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}

/** A finding as text, with its evidence. */
function findingText({ severity, blame, message, subject, fix, evidence }: Finding): string {
  return [
    `${severity} (${blame}): ${subject === undefined ? '' : `${subject}: `}${message}`,
    ...(fix === undefined ? [] : [`  ${fix}`]),
    ...(evidence.length === 0 ? [] : [`  lines ${evidence.join(', ')} of the trace`]),
  ].join('\n');
}

function caseOf(row: CheckRow): string {
  const { group, id, title, status, detail = '', ms = 0, findings } = row;
  const text = escaped([detail, ...findings.map(findingText)].filter((part) => part !== '').join('\n'));
  const inside =
    status === 'fail'
      ? `<failure message="${escaped(findings[0]?.message ?? detail)}">${text}</failure>`
      : status === 'skip'
        ? `<skipped message="${escaped(detail)}"/>`
        : text === ''
          ? ''
          : `<system-out>${text}</system-out>`;
  return `    <testcase classname="${escaped(`mcp.${group}`)}" name="${escaped(`${id}: ${title}`)}" time="${(ms / 1000).toFixed(3)}">${inside}</testcase>`;
}

/**
 * Rows as a JUnit report (XML), which CI systems read: one suite for each group. `server`: the prefix of the suite names.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { junitReport, runChecks } from '@tenon/inspector';
 *
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * const { rows } = await runChecks(target, { groups: ['lint'], by: 'my tool 1.0' }, AbortSignal.timeout(60_000));
 * await writeFile('report.xml', junitReport('weather', rows));
 * ```
 */
export function junitReport(server: string, rows: readonly CheckRow[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const suites = groups.map((group) => {
    const own = rows.filter((row) => row.group === group);
    const count = (status: CheckRow['status']): number => own.filter((row) => row.status === status).length;
    const seconds = own.reduce((sum, { ms = 0 }) => sum + ms, 0) / 1000;
    return [
      `  <testsuite name="${escaped(`${server} ${group}`)}" tests="${own.length}" failures="${count('fail')}" skipped="${count('skip')}" time="${seconds.toFixed(3)}">`,
      ...own.map(caseOf),
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tenon check">\n${suites.join('\n')}\n</testsuites>\n`;
}
