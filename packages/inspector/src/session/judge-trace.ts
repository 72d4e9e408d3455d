import { createDiagnosis } from '../rules/diagnosis.ts';
import type { Finding } from '../rules/finding.ts';
import type { TraceSource } from './contract.ts';
import { everyRule } from './every-rule.ts';

/** The diagnosis of a recorded trace. */
export interface TraceJudgement {
  readonly findings: readonly Finding[];
  /** The number of messages that were validated against the official schema of their revision. */
  readonly measured: number;
}

/** How a recorded trace is diagnosed. */
export interface JudgeOptions {
  /** Only this session. Default: all. */
  readonly session?: string | undefined;
  /** Called between slices; `false` stops early. */
  readonly goesOn?: () => boolean;
}

/** The lines processed at a time, so that other work gets a turn. */
const SLICE = 2_000;

/** Applies every rule to a recorded trace. All of it must be indexed. */
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
