import type { Audit } from './audit/audit.ts';
import type { AuditEntry } from './audit/record.ts';
import type { DecisionRecord, HostListener } from './events.ts';
import type { Decision } from './pending/item.ts';
import { messageOf } from './values/message-of.ts';

/** An action with the decision about it. */
export interface DecidedAction {
  readonly act: AuditEntry['act'];
  readonly server: string;
  readonly target: string;
  /** `model`, `user`, `host`, or the alias of a server. */
  readonly requestedBy: string;
  readonly allow: boolean;
  readonly why: string;
  /** The decision of the person, if one was asked. */
  readonly decision?: Decision | undefined;
  readonly arguments?: unknown;
}

/** An action before the decision. */
export type Action = Omit<DecidedAction, 'allow' | 'why' | 'decision'>;

/** How an action ended. `ms` is its duration. */
export interface ActionOutcome {
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'timeout';
  readonly ms?: number;
  readonly revision?: string | undefined;
}

/** Why a server stopped. */
export interface ServerStop {
  /** `user`, `host`, or the alias of a server that ended on its own. */
  readonly requestedBy: string;
  readonly why: string;
  readonly outcome: 'ok' | 'error';
}

export interface Recorder {
  /** Records a decision before the action. Rejects if it cannot be written: the action must not happen then. */
  recordDecision(action: DecidedAction): Promise<void>;
  /** Records that an action was cancelled before there was a decision. Never rejects. */
  recordCancelled(action: Action): Promise<void>;
  /** Records the outcome. The action cannot be undone, so this never rejects: if writing fails, a problem is reported. */
  recordOutcome(
    action: Pick<DecidedAction, 'act' | 'server' | 'target' | 'requestedBy'>,
    end: ActionOutcome,
  ): Promise<void>;
  /** Records that a server stopped. Never rejects. */
  recordStop(server: string, stop: ServerStop): Promise<void>;
  recent(): readonly DecisionRecord[];
}

/** Decisions that are kept in memory for display. */
const MAX_DECISIONS = 500;

function decisionOf({ allow, decision }: DecidedAction): NonNullable<AuditEntry['decision']> {
  if (decision === undefined) return allow ? 'allow' : 'deny';
  if (decision.cancel === true) return 'ask→cancel';
  return allow ? 'ask→allow' : 'ask→deny';
}

/** Without `audit`, decisions are only kept for display. */
export function createRecorder(audit: Pick<Audit, 'add'> | undefined, emit: HostListener, now: () => number): Recorder {
  const records: DecisionRecord[] = [];

  const remember = ({ act, server, target, allow, why }: Omit<DecidedAction, 'requestedBy'>): void => {
    const record = { at: now(), act, server, target, allow, why };
    records.push(record);
    if (records.length > MAX_DECISIONS) records.shift();
    emit({ kind: 'decided', record });
  };

  /** Adds an entry for something that cannot be undone: if writing fails, reports a problem instead of rejecting. */
  const addBestEffort = async (entry: AuditEntry & { readonly server: string }, failure: string): Promise<void> => {
    try {
      await audit?.add(entry);
    } catch (error) {
      emit({ kind: 'problem', server: entry.server, message: `${failure}: ${messageOf(error)}` });
    }
  };

  return {
    async recordDecision(action) {
      const { act, server, target, requestedBy, why, arguments: args } = action;
      remember(action);
      await audit?.add({ act, server, target, requestedBy, decision: decisionOf(action), rule: why, arguments: args });
    },
    recordCancelled({ act, server, target, requestedBy, arguments: args }) {
      const why = 'cancelled before it was decided';
      remember({ act, server, target, allow: false, why });
      const entry = { act, server, target, requestedBy, outcome: 'cancelled', rule: why, arguments: args } as const;
      return addBestEffort(entry, 'A cancelled action could not be written to the audit log');
    },
    recordOutcome({ act, server, target, requestedBy }, { outcome, ms, revision }) {
      const entry = { act, server, target, requestedBy, outcome, ms, revision };
      return addBestEffort(entry, 'The outcome of an action could not be written to the audit log');
    },
    recordStop: (server, { requestedBy, why, outcome }) =>
      addBestEffort(
        { act: 'stop', server, target: server, requestedBy, outcome, rule: why },
        'The end of the server could not be written to the audit log',
      ),
    recent: () => records,
  };
}
