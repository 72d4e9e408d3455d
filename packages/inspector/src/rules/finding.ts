/** Which side broke the rule. `unknown` if the evidence does not show it. */
export type Blame = 'server' | 'client' | 'transport' | 'unknown';

/** `error`: breaks a rule of the specification. `warning`: will cause trouble. `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** A problem, or a possible one. */
export interface Finding {
  /** The stable name of the rule: `stdout-noise`, `output-schema`, `tool-name`. */
  readonly rule: string;
  /** Its severity. */
  readonly severity: Severity;
  /** The side that has to change something. */
  readonly blame: Blame;
  /** One sentence about what happened. */
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
  /** The specification: the URL of a page. */
  readonly clause?: string;
  /** The object: `tool add`, `tool add /inputSchema/properties/a`. */
  readonly subject?: string;
  /** The lines of the trace that prove it. Empty only for findings without a trace. */
  readonly evidence: readonly number[];
  /** The session of the trace to which it belongs. */
  readonly session?: string;
}

/** One check, and its outcome. The command line and the page show the same rows. */
export interface CheckRow {
  /**
   * The part of a check: the connection, the definitions, the messages, the revisions, the saved surface, the speed, the saved
   * calls.
   */
  readonly group: 'doctor' | 'lint' | 'wire' | 'era' | 'baseline' | 'load' | 'test';
  /** Stable within its group. */
  readonly id: string;
  /** The object of the check, in a few words. */
  readonly title: string;
  /** The outcome. `skip`: not checked, `detail` says why. */
  readonly status: 'pass' | 'fail' | 'warn' | 'skip';
  /** What was observed, or why it was skipped. */
  readonly detail?: string;
  /** Its duration, in milliseconds. */
  readonly ms?: number;
  /** The findings. May be empty. */
  readonly findings: readonly Finding[];
}
