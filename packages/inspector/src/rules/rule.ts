import type { Side, TraceLine } from '../trace/line.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceIndex } from '../trace/trace-index.ts';
import type { SessionState } from './session-state.ts';
import type { Blame, Finding, Severity } from './finding.ts';
import type { Malformed, Message, Notification, Request, Response } from './message.ts';
import type { Page } from './pages.ts';
import type { Revision } from './revisions.ts';

/** The part of the trace that a rule receives. */
export interface Seen {
  readonly line: TraceLine;
  readonly facts: Facts;
  /** The parsed message. Undefined for other lines and for invalid JSON. Parsed once for all rules. */
  readonly value: unknown;
  /** The messages of the line: one, or those of a batch. */
  readonly messages: readonly Message[];
  readonly index: TraceIndex;
}

/** Watches one session. Its methods are called in the order of the trace; each is optional. */
export interface Watcher {
  /** A new process or handshake begins: earlier agreements no longer hold. */
  anew?(): void;
  /** A line that is not of kind `message`. */
  line?(seen: Seen): void;
  request?(request: Request): void;
  response?(response: Response): void;
  notification?(notification: Notification): void;
  malformed?(malformed: Malformed): void;
  /** A whole line of kind `message`, after its messages. */
  text?(seen: Seen): void;
  /** The trace has ended: reports findings that are certain only now. */
  end?(): void;
}

/** A finding of a rule. The URL of its clause follows from the page of the rule and the revision. */
export interface RuleFinding extends Omit<Finding, 'rule' | 'session' | 'clause'> {
  /** The revision that is violated, if not that of the session. */
  readonly revision?: Revision | undefined;
  /** The page of the specification, if not that of the rule. */
  readonly page?: Page | undefined;
}

export type Report = (found: RuleFinding) => void;

/**
 * The rule that has found an error of that side on a line. Undefined: none. Only for the newest line, and for rules earlier in
 * the list.
 */
export type Accused = (n: number, side: Side) => string | undefined;

/** A rule of the diagnosis: what it checks, and which side it blames. */
export interface Rule {
  readonly id: string;
  /** The problem that it looks for. */
  readonly title: string;
  /** The sides that it may blame. */
  readonly blame: readonly Blame[];
  /** The severities it reports. */
  readonly severity: readonly Severity[];
  /** Why these sides are to blame. */
  readonly why: string;
  /** The page of the specification. */
  readonly page?: Page;
  /** Starts watching a session. */
  watch(report: Report, session: SessionState, accused: Accused): Watcher;
}
