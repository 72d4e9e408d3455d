import type { TokenStore } from 'tenon/auth';
import type { CheckRow } from '../rules/finding.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import type { Target, Workbench } from './contract.ts';
import type { Script } from './script.ts';
import type { Shared } from './shared.ts';

/** What the user confirms in the terminal: a new server, or another way to start one. */
export type ConfirmReason = 'add' | 'change';

/** The configuration of a workbench. */
export interface WorkbenchOptions extends Pick<Shared, 'timeoutMs'> {
  /** The trace to which the sessions are written. Closed with the workbench. */
  readonly store: TraceStore;
  /** The initial servers. None is connected at first. */
  readonly targets: readonly Target[];
  /** Name and version of this program. */
  readonly by: string;
  /** Where logins are kept. Default: in memory. */
  readonly tokens?: TokenStore;
  /** Servers are stopped this many milliseconds after the last page was closed. 0: never. Default 60,000. */
  readonly idleMs?: number;
  /**
   * Asks the user in the terminal whether servers from a page may be added, or started in another way. Without it only URLs
   * without headers can be added, because no process is started for them.
   */
  readonly confirm?: (targets: readonly Target[], reason: ConfirmReason) => Promise<boolean>;
  /**
   * Parses typed or pasted text. Throws an `Error` whose message says what is wrong, and whose `fix` says what to do about it.
   * Calls `leaveOut` for each part that cannot be used although the rest can; the page shows it.
   */
  readonly readTargets?: (text: string, leaveOut: (what: string) => void) => Promise<readonly Target[]>;
  /** Checks a server. Default: checks are not available. */
  readonly check?: (
    target: Target,
    body: Parameters<Workbench['check']>[0],
    signal: AbortSignal,
  ) => Promise<readonly CheckRow[]>;
  /** Saves a call as a test. Default: tests cannot be saved. */
  readonly saveTest?: (
    target: Target,
    body: Parameters<Workbench['saveTest']>[0],
    store: TraceStore,
  ) => ReturnType<Workbench['saveTest']>;
  /** The file to which `saveTest` writes, for people to see. */
  readonly testFile?: string;
  /** The scripted answers, which are used before anyone sees the question. */
  readonly script?: Script;
  /** The initial roots of all servers, as `file://` URIs. */
  readonly roots?: readonly string[];
}
