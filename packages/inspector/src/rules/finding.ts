/** Which side broke the rule. `unknown` if the evidence does not show it. */
export type Blame = 'server' | 'client' | 'transport' | 'unknown';

export type Severity = 'error' | 'warning' | 'info';

/** A problem, or a possible one. Error: a rule of the specification is broken. Warning: it will cause trouble. */
export interface Finding {
  /** The stable name of the rule: `stdout-noise`, `output-schema`, `tool-name`. */
  readonly rule: string;
  readonly severity: Severity;
  readonly blame: Blame;
  /** What happened, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
  /** Where it is written: the address of a page of the specification. */
  readonly clause?: string;
  /** What it is about: `tool add`, `tool add /inputSchema/properties/a`. */
  readonly subject?: string;
  /** The lines of the trace that show it. Empty only for what was found without a trace. */
  readonly evidence: readonly number[];
  readonly session?: string;
}

/** One thing that was checked, and what came of it. The command and the web show the same rows. */
export interface CheckRow {
  readonly group: 'doctor' | 'lint' | 'wire' | 'era' | 'baseline' | 'load' | 'test';
  /** Stable within its group. */
  readonly id: string;
  readonly title: string;
  readonly status: 'pass' | 'fail' | 'warn' | 'skip';
  /** What was seen, or why it was left out. */
  readonly detail?: string;
  readonly ms?: number;
  readonly findings: readonly Finding[];
}
