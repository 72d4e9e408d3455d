import { counted } from '@tenon/values/counted';
import type { CheckRow, Finding } from '../rules/finding.ts';
import { ruleTitle } from '../rules/table.ts';
import { WIRE_RULE } from '../rules/wire/fits-schema.ts';
import type { Facts } from '../trace/facts.ts';
import { findingRows } from './finding-rows.ts';

/** The row that says whether all messages fit the official schemas. Messages whose misfit another rule explains count as well. */
function schemaRow(messages: number, measured: number, findings: readonly Finding[]): CheckRow {
  const row = { group: 'wire', id: WIRE_RULE.id, title: 'Every message fits the schema of its revision' } as const;
  const misfits = findings.filter(({ rule }) => rule === WIRE_RULE.id);
  const failed = findings.find(({ rule, subject }) => rule === 'rule-failed' && subject === WIRE_RULE.id);
  const detail = `${measured} of ${counted(messages, 'message')} ${messages === 1 ? 'was' : 'were'} measured`;
  if (misfits.length > 0) return { ...row, status: 'fail', detail, findings: misfits };
  if (failed !== undefined) return { ...row, status: 'skip', detail: failed.message, findings: [] };
  return { ...row, status: measured === 0 ? 'skip' : 'pass', detail, findings: [] };
}

/**
 * The findings about the messages of a trace: one row about the schemas, one row for each rule with findings, and one with the
 * number of messages checked. `measured`: how many messages were validated against a schema.
 */
export function wireRows(
  { all }: { readonly all: readonly Facts[] },
  measured: number,
  findings: readonly Finding[],
): CheckRow[] {
  const messages = all.filter(({ kind }) => kind === 'message').length;
  const sessions = new Set(all.map(({ session }) => session)).size;
  const others = findings.filter(({ rule }) => rule !== WIRE_RULE.id);
  return [
    schemaRow(messages, measured, findings),
    ...findingRows('wire', others, ruleTitle, {
      title: 'Every message was looked at',
      detail: `${counted(messages, 'message')} in ${counted(sessions, 'session')}`,
    }),
  ];
}
