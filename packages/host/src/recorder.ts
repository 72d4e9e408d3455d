import type { Audit } from './audit/audit.ts';
import type { AuditEntry } from './audit/record.ts';
import type { DecisionRecord, HostListener } from './events.ts';
import type { Decision } from './pending/item.ts';
import { messageOf } from './values/message-of.ts';

/** Something that is to be done, and what was decided about it. */
export interface DecidedAction {
  readonly act: AuditEntry['act'];
  readonly server: string;
  readonly what: string;
  /** `model`, `user`, `host`, or the alias of a server. */
  readonly who: string;
  readonly allow: boolean;
  readonly why: string;
  /** What a person said, if one was asked. */
  readonly decision?: Decision | undefined;
  readonly arguments?: unknown;
}

/** Something that nobody decided yet. */
export type Action = Omit<DecidedAction, 'allow' | 'why' | 'decision'>;

/** How it went. */
export interface ActionOutcome {
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'timeout';
  readonly ms?: number;
  readonly revision?: string | undefined;
}

/** Why a server does not run any more. */
export interface ServerStop {
  /** `user`, `host`, or the alias of the server: it ended by itself. */
  readonly who: string;
  readonly why: string;
  readonly outcome: 'ok' | 'error';
}

export interface Recorder {
  /** Writes what was decided, before anything is done. Rejects if it cannot be written: then it is not done. */
  recordDecision(action: DecidedAction): Promise<void>;
  /** Writes that something was given up before anybody decided: that is no decision. Never rejects. */
  recordCancelled(action: Action): Promise<void>;
  /** Writes how it went. What is done cannot be taken back, so it never rejects: a log that fails is told as a problem. */
  recordOutcome(action: Pick<DecidedAction, 'act' | 'server' | 'what' | 'who'>, end: ActionOutcome): Promise<void>;
  /** Writes that a server does not run any more. Never rejects. */
  recordStop(server: string, stop: ServerStop): Promise<void>;
  recent(): readonly DecisionRecord[];
}

/** Most decisions that are remembered for the person who asks why. */
const MAX_DECISIONS = 500;

const decisionOf = ({ allow, decision }: DecidedAction): NonNullable<AuditEntry['decision']> => {
  if (decision === undefined) return allow ? 'allow' : 'deny';
  if (decision.cancel === true) return 'ask→cancel';
  return allow ? 'ask→allow' : 'ask→deny';
};

export const createRecorder = (audit: Audit, emit: HostListener, now: () => number): Recorder => {
  const records: DecisionRecord[] = [];

  const remember = ({ act, server, what, allow, why }: Omit<DecidedAction, 'who'>): void => {
    const record = { at: now(), act, server, what, allow, why };
    records.push(record);
    if (records.length > MAX_DECISIONS) records.shift();
    emit({ kind: 'decided', record });
  };

  /** For what cannot be taken back. */
  const addBestEffort = async (entry: AuditEntry & { readonly server: string }, failure: string): Promise<void> => {
    try {
      await audit.add(entry);
    } catch (error) {
      emit({ kind: 'problem', server: entry.server, message: `${failure}: ${messageOf(error)}` });
    }
  };

  return {
    async recordDecision(action) {
      const { act, server, what, who, why, arguments: args } = action;
      remember(action);
      const given = args === undefined ? {} : { arguments: args };
      await audit.add({ act, server, what, who, decision: decisionOf(action), rule: why, ...given });
    },
    recordCancelled({ act, server, what, who, arguments: args }) {
      const why = 'cut off before anybody decided';
      remember({ act, server, what, allow: false, why });
      const given = args === undefined ? {} : { arguments: args };
      const entry = { act, server, what, who, outcome: 'cancelled', rule: why, ...given } as const;
      return addBestEffort(entry, 'It was cut off, and the audit log does not say so');
    },
    recordOutcome({ act, server, what, who }, { outcome, ms, revision }) {
      const time = ms === undefined ? {} : { ms: Math.round(ms) };
      const entry = { act, server, what, who, outcome, ...time, ...(revision === undefined ? {} : { revision }) };
      return addBestEffort(entry, 'It was done, and the audit log does not say how it ended');
    },
    recordStop: (server, { who, why, outcome }) =>
      addBestEffort(
        { act: 'stop', server, what: server, who, outcome, rule: why },
        'It ended, and the audit log does not say so',
      ),
    recent: () => records,
  };
};
