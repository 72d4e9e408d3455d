import { createDiagnosis } from '../rules/diagnosis.ts';
import type { Finding } from '../rules/finding.ts';
import type { TraceSource } from './contract.ts';
import { everyRule } from './every-rule.ts';

/** What a recorded trace shows. */
export interface TraceJudgement {
  readonly findings: readonly Finding[];
  /** Messages that were measured by the official schema of their revision. */
  readonly measured: number;
}

/** How a recorded trace is judged. */
export interface JudgeOptions {
  /** Only this session. Default: all of them. */
  readonly session?: string | undefined;
  /** Asked between slices; `false` ends the reading early. */
  readonly goesOn?: () => boolean;
}

/** Lines that are read at a time, so that others get a turn. */
const SLICE = 2_000;

/** Goes through a trace that was recorded before, with every rule. All of it must be indexed. */
export async function judgeTrace(
  trace: Pick<TraceSource, 'index' | 'read'>,
  { session, goesOn = () => true }: JudgeOptions = {},
): Promise<TraceJudgement> {
  let measured = 0;
  const diagnosis = createDiagnosis(undefined, { rules: everyRule(() => measured++) });
  for (let from = 1; from <= trace.index.length && goesOn(); from += SLICE) {
    for (const line of trace.read(from, from + SLICE - 1)) {
      const facts = trace.index.at(line.n);
      if (facts !== undefined && (session === undefined || line.session === session))
        diagnosis.see(line, facts, trace.index);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  diagnosis.end();
  return { findings: diagnosis.findings, measured };
}
