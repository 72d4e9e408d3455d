import type { Finding } from '../rules/finding.ts';

/** Why something failed, for people. */
export interface ProblemView {
  /** What happened, without secrets. */
  readonly message: string;
  /** Which side has to change something. */
  readonly blame: Finding['blame'];
  /** What to do about it. */
  readonly fix?: string;
  /** The lines of the trace that prove it. */
  readonly evidence: readonly number[];
  /** For programs. `auth`: credentials are required; `timeout`: no answer came in time; `protocol`: an answer breaks the protocol. */
  readonly kind?: 'auth' | 'timeout' | 'protocol';
}
