import type { AuthStep } from '../trace/line.ts';
import type { ProblemView } from './problem-view.ts';

/** The login at a server. */
export interface AuthView {
  readonly server: string;
  readonly status: 'none' | 'running' | 'paused' | 'waiting-for-browser' | 'done' | 'failed';
  readonly hops: readonly AuthHop[];
  /** Stop before each step. */
  readonly pausing: boolean;
  /** The login was forgotten, and no request was sent since then. */
  readonly forgotten?: boolean;
  /** The page to log in at; http or https only. */
  readonly loginUrl?: string;
  readonly problem?: ProblemView;
}

/** One request of a login, and its answer. */
export interface AuthHop {
  readonly id: string;
  readonly step: AuthStep;
  readonly title: string;
  readonly method: string;
  readonly url: string;
  readonly status: 'paused' | 'running' | 'pass' | 'fail';
  readonly httpStatus?: number;
  readonly ms?: number;
  /** The lines of request and answer. */
  readonly evidence: readonly number[];
  /** The section of the RFC or of the specification that this hop implements. */
  readonly clause?: string;
  readonly verdict?: string;
}
