/** Which side broke the rule. `unknown` if the evidence does not show it. */
export type Blame = 'server' | 'client' | 'transport' | 'unknown';

/** `error`: a rule of the specification is broken. `warning`: it will cause trouble. `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** A problem, or a possible one. */
export interface Finding {
  /** The stable name of the rule: `stdout-noise`, `output-schema`, `tool-name`. */
  readonly rule: string;
  /** How bad it is. */
  readonly severity: Severity;
  /** Which side has to change something. */
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
  /** The session of the trace in which it was found. */
  readonly session?: string;
}

/** One thing that was checked, and what came of it. The command and the web show the same rows. */
export interface CheckRow {
  /** Which part of a check it belongs to: the connection, the definitions, the messages, the revisions, the saved surface, the speed, saved calls. */
  readonly group: 'doctor' | 'lint' | 'wire' | 'era' | 'baseline' | 'load' | 'test';
  /** Stable within its group. */
  readonly id: string;
  /** What was checked, in a few words. */
  readonly title: string;
  /** The outcome. `skip`: it was not checked, `detail` says why. */
  readonly status: 'pass' | 'fail' | 'warn' | 'skip';
  /** What was seen, or why it was left out. */
  readonly detail?: string;
  /** How long it took, in milliseconds. */
  readonly ms?: number;
  /** What was found; empty if nothing was. */
  readonly findings: readonly Finding[];
}
