import type { Audit } from './audit/audit.ts';
import type { AuditEntry } from './audit/record.ts';
import type { DecisionRecord, HostListener } from './events.ts';
import type { Decision } from './pending/item.ts';
import { messageOf } from './values/message-of.ts';

/** Something that is to be done, and what was decided about it. */
export interface Deed {
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

/** How it went. */
export interface End {
  readonly outcome: 'ok' | 'error' | 'cancelled';
  readonly ms?: number;
  readonly revision?: string | undefined;
}

export interface Recorder {
  /** Writes what was decided, before anything is done. Rejects if it cannot be written: then it is not done. */
  decided(deed: Deed): Promise<void>;
  /** Writes how it went. What is done cannot be taken back, so it never rejects: a log that fails is told as a problem. */
  ended(deed: Deed, end: End): Promise<void>;
  recent(): readonly DecisionRecord[];
}

/** Most decisions that are remembered for the person who asks why. */
const MOST = 500;

const decisionOf = ({ allow, decision }: Deed): NonNullable<AuditEntry['decision']> => {
  if (decision === undefined) return allow ? 'allow' : 'deny';
  if (decision.cancel === true) return 'ask→cancel';
  return allow ? 'ask→allow' : 'ask→deny';
};

export const createRecorder = (audit: Audit, tell: HostListener, now: () => number): Recorder => {
  const records: DecisionRecord[] = [];
  return {
    async decided(deed) {
      const { act, server, what, who, allow, why, arguments: args } = deed;
      const record = { at: now(), act, server, what, allow, why };
      records.push(record);
      if (records.length > MOST) records.shift();
      tell({ kind: 'decided', record });
      const given = args === undefined ? {} : { arguments: args };
      await audit.add({ act, server, what, who, decision: decisionOf(deed), rule: why, ...given });
    },
    async ended({ act, server, what, who }, { outcome, ms, revision }) {
      const time = ms === undefined ? {} : { ms: Math.round(ms) };
      try {
        await audit.add({ act, server, what, who, outcome, ...time, ...(revision === undefined ? {} : { revision }) });
      } catch (error) {
        const message = `It was done, and the audit log does not say how it ended: ${messageOf(error)}`;
        tell({ kind: 'problem', server, message });
      }
    },
    recent: () => records,
  };
};
