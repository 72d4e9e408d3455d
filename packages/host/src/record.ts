import type { Audit } from './audit/audit.ts';
import type { AuditEntry } from './audit/record.ts';
import type { DecisionRecord, HostListener } from './events.ts';

/** What the host did, for the audit log and for `decisions`. */
export interface Deed {
  readonly act: AuditEntry['act'];
  readonly server: string;
  readonly what: string;
  /** `model`, `user`, `host`, or the alias of a server. */
  readonly who: string;
  readonly allow: boolean;
  readonly why: string;
  /** A person was asked. */
  readonly asked?: boolean;
  readonly arguments?: unknown;
  readonly outcome?: 'ok' | 'error' | 'cancelled';
  readonly ms?: number;
  readonly revision?: string;
}

export interface Recorder {
  /** Tells of a decision. */
  decided(deed: Deed): void;
  /** Writes what became of it. Resolves when it is written: nothing counts as done before. */
  write(deed: Deed): Promise<void>;
  recent(): readonly DecisionRecord[];
}

/** Most decisions that are remembered for the person who asks why. */
const MOST = 500;

export const createRecorder = (audit: Audit, tell: HostListener, now: () => number): Recorder => {
  const records: DecisionRecord[] = [];
  return {
    decided({ act, server, what, allow, why }) {
      const record = { at: now(), act, server, what, allow, why };
      records.push(record);
      if (records.length > MOST) records.shift();
      tell({ kind: 'decided', record });
    },
    write: ({ act, server, what, who, allow, why, asked = false, arguments: args, outcome, ms, revision }) =>
      audit.add({
        act,
        server,
        what,
        who,
        decision: asked ? (allow ? 'ask→allow' : 'ask→deny') : allow ? 'allow' : 'deny',
        rule: why,
        ...(args === undefined ? {} : { arguments: args }),
        ...(outcome === undefined ? {} : { outcome }),
        ...(ms === undefined ? {} : { ms: Math.round(ms) }),
        ...(revision === undefined ? {} : { revision }),
      }),
    recent: () => records,
  };
};
