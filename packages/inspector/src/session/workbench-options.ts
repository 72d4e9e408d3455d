import type { TokenStore } from 'tenon/auth';
import type { CheckRow } from '../rules/finding.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import type { Target, Workbench } from './contract.ts';
import type { Script } from './script.ts';
import type { Shared } from './shared.ts';

/** What a page wants of the person at the terminal: another server, or another way to start one. */
export type ConfirmReason = 'add' | 'change';

/** What a workbench is made of. */
export interface WorkbenchOptions extends Pick<Shared, 'timeoutMs'> {
  /** The trace that the sessions write. Closed with the workbench. */
  readonly store: TraceStore;
  /** The servers to begin with. None is connected at first. */
  readonly targets: readonly Target[];
  /** Name and version of this program. */
  readonly by: string;
  /** Where logins are kept. Default: in memory. */
  readonly tokens?: TokenStore;
  /** Servers are stopped this many milliseconds after the last page was closed. 0: never. Default 60,000. */
  readonly idleMs?: number;
  /**
   * Asks the person at the terminal whether servers that were typed into a page may be added, or started in another way. Without it only
   * addresses without headers can be added, because nothing is started for them.
   */
  readonly confirm?: (targets: readonly Target[], reason: ConfirmReason) => Promise<boolean>;
  /**
   * Reads what was typed or pasted. Throws an `Error` that says what is wrong with it, and in `fix` what to do about it. `leaveOut` is told
   * what of it cannot be used although the rest can: the page says so.
   */
  readonly readTargets?: (text: string, leaveOut: (what: string) => void) => Promise<readonly Target[]>;
  /** Checks a server. Default: nothing can be checked. */
  readonly check?: (
    target: Target,
    body: Parameters<Workbench['check']>[0],
    signal: AbortSignal,
  ) => Promise<readonly CheckRow[]>;
  /** Keeps a call as a test. Default: none can be kept. */
  readonly saveTest?: (
    target: Target,
    body: Parameters<Workbench['saveTest']>[0],
    store: TraceStore,
  ) => ReturnType<Workbench['saveTest']>;
  /** The file in which `saveTest` keeps them, for people to see. */
  readonly testFile?: string;
  /** What questions are answered with before anybody sees them. */
  readonly script?: Script;
  /** The folders that servers are told of at first, as `file://` URIs. */
  readonly roots?: readonly string[];
}
