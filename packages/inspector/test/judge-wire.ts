// Diagnoses a trace with the official schemas.
import { createDiagnosis } from '../src/rules/diagnosis.ts';
import type { Finding } from '../src/rules/finding.ts';
import { discovered, handshake, type Step, trace } from '../src/rules/fixtures/traces.ts';
import type { Revision } from '../src/rules/revisions.ts';
import type { Rule } from '../src/rules/rule.ts';
import { everyRule } from '../src/session/every-rule.ts';
import type { TraceLine } from '../src/trace/line.ts';
import { createTraceIndex } from '../src/trace/trace-index.ts';

export interface Judged {
  readonly all: readonly Finding[];
  readonly wire: readonly Finding[];
  readonly measured: number;
  readonly lines: readonly TraceLine[];
}

/** The findings of a trace, and the number of validated messages. */
export function judge(steps: readonly Step[], rulesOf: (measured: () => void) => readonly Rule[] = everyRule): Judged {
  let measured = 0;
  const index = createTraceIndex();
  const diagnosis = createDiagnosis(undefined, { rules: rulesOf(() => measured++) });
  const lines = trace(...steps);
  for (const line of lines) diagnosis.see(line, index.add(line), index);
  diagnosis.end();
  const all = diagnosis.findings;
  return { all, wire: all.filter(({ rule }) => rule === 'wire-schema'), measured, lines };
}

/** The beginning of a session in a revision. */
export function began(revision: Revision): Step {
  return revision === '2026-07-28' ? discovered() : handshake(revision);
}
