import type { Side, TraceLine } from '../trace/line.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceIndex } from '../trace/trace-index.ts';
import type { SessionState } from './session-state.ts';
import type { Blame, Finding, Severity } from './finding.ts';
import type { Malformed, Message, Notification, Request, Response } from './message.ts';
import type { Page } from './pages.ts';
import type { Revision } from './revisions.ts';

/** What a rule sees of the trace while it is watched. */
export interface Seen {
  readonly line: TraceLine;
  readonly facts: Facts;
  /** The parsed message; undefined for other lines and for what is no JSON. Parsed once for all rules. */
  readonly value: unknown;
  /** The messages of the line: one, or those of a batch. */
  readonly messages: readonly Message[];
  readonly index: TraceIndex;
}

/** Watches one session. Every part is called in the order of the trace; what a rule does not need it leaves out. */
export interface Watcher {
  /** A new process, or a new handshake: what was agreed before is over. */
  anew?(): void;
  /** A line that is not of kind `message`. */
  line?(seen: Seen): void;
  request?(request: Request): void;
  response?(response: Response): void;
  notification?(notification: Notification): void;
  malformed?(malformed: Malformed): void;
  /** A line of kind `message` as a whole, after its messages. */
  text?(seen: Seen): void;
  /** The trace ended: reports what can only be said now. */
  end?(): void;
}

/** What a rule reports. The address of the clause follows from the page of the rule and the revision. */
export interface Found extends Omit<Finding, 'rule' | 'session' | 'clause'> {
  /** The revision that is broken, where it is not that of the session. */
  readonly revision?: Revision | undefined;
  /** Where it is written, where that is not the page of the rule. */
  readonly page?: Page | undefined;
}

export type Report = (found: Found) => void;

/** Which rule has found an error of that side on a line; undefined: none. Only of the newest line, and of rules that come before. */
export type Accused = (n: number, side: Side) => string | undefined;

/** A rule of the diagnosis: what it looks for, and which side it blames. */
export interface Rule {
  readonly id: string;
  /** What is looked for. */
  readonly title: string;
  /** Who may be blamed. */
  readonly blame: readonly Blame[];
  /** The severities it reports. */
  readonly severity: readonly Severity[];
  /** Why it is them. */
  readonly why: string;
  /** Where it is written. */
  readonly page?: Page;
  /** Begins to watch a session. */
  watch(report: Report, session: SessionState, accused: Accused): Watcher;
}
