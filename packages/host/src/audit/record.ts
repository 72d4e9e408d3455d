import { createHash } from 'node:crypto';
import { canonicalJson } from '@tenon/values/canonical-json';
import { escapeHidden } from '@tenon/values/hidden';
import { truncate } from '../values/plain-text.ts';
import { withoutSecrets } from './secrets.ts';

/** What was done. `audit`: something about the log itself. */
export type AuditAct =
  | 'start'
  | 'stop'
  | 'call'
  | 'read'
  | 'prompt'
  | 'sample'
  | 'sampled'
  | 'question'
  | 'changed'
  | 'grant'
  | 'revoke'
  | 'audit';

/** Something that was done, or refused, as it is handed to the log. */
export interface AuditEntry {
  /** Who wanted it: `model`, `user`, `server`, `host`. The log itself is `audit`. */
  readonly who: string;
  readonly act: AuditAct;
  /** The alias of the server. */
  readonly server?: string;
  /** A tool, an address, the name of a prompt. */
  readonly what?: string;
  /** Never written: only a digest of them is. */
  readonly arguments?: unknown;
  readonly decision?: 'allow' | 'deny' | 'ask→allow' | 'ask→deny' | 'ask→cancel';
  /** Which rule, or which earlier yes, the decision is from; without a decision, why. */
  readonly rule?: string;
  readonly outcome?: 'ok' | 'error' | 'cancelled' | 'timeout';
  /** Milliseconds it took. */
  readonly ms?: number;
  /** Of the protocol. */
  readonly revision?: string;
}

/** An entry as it is to be written: cut, and without secrets. */
export interface AuditFacts extends Omit<AuditEntry, 'arguments'> {
  /** When, in ISO 8601. */
  readonly at: string;
  readonly argumentsDigest?: string;
}

/** A line of the log. */
export interface AuditRecord extends AuditFacts {
  /** 1, 2, 3 … */
  readonly n: number;
  /** The hash of the line before. */
  readonly prev: string;
  /** SHA-256 of the canonical JSON of the line without `hash`. */
  readonly hash: string;
}

/** Where a log ends: what the next line goes on from. */
export interface Head {
  readonly n: number;
  readonly hash: string;
}

/** The head of a log without lines. */
export const START: Head = { n: 0, hash: '0'.repeat(64) };

/** No line is longer, in bytes: its parts are cut. */
export const MAX_LINE_BYTES = 16 * 1024;

/** Most characters of a part that says something, and of one that names something. */
const MAX_TEXT = 500;
const MAX_NAME = 200;
/** Most characters that are looked at: a peer may send megabytes. */
const MAX_INPUT = 4_000;
/** Dropped at the end of what was cut: it may be a part of a secret that is none by itself. */
const MARGIN = 200;

export type Redact = (text: string) => string;

const sanitize = (text: string, most: number, redact: Redact): string => {
  const clean = redact(withoutSecrets(text.slice(0, MAX_INPUT)));
  return truncate(escapeHidden(text.length > MAX_INPUT ? `${clean.slice(0, -MARGIN)}…` : clean), most);
};

/** What of an entry is written down. Everything in it may come from a server. */
export const factsOf = (
  { who, act, server, what, decision, rule, outcome, ms, revision }: AuditEntry,
  at: number,
  argumentsDigest: string | undefined,
  redact: Redact = (text) => text,
): AuditFacts => {
  const name = <T extends string>(text: T | undefined): T | undefined =>
    text === undefined ? undefined : (sanitize(text, MAX_NAME, redact) as T);
  const text = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : sanitize(value, MAX_TEXT, redact);
  return {
    at: new Date(at).toISOString(),
    who: name(who)!,
    act: name(act)!,
    server: name(server),
    what: text(what),
    argumentsDigest,
    decision: name(decision),
    rule: text(rule),
    outcome: name(outcome),
    ms: Number.isFinite(ms) ? Math.round(ms!) : undefined,
    revision: name(revision),
  };
};

const hashOf = (record: Omit<AuditRecord, 'hash'>): string =>
  createHash('sha256').update(canonicalJson(record)).digest('hex');

/** The line that comes after `head`. */
const nextRecord = (head: Head, facts: AuditFacts): AuditRecord => {
  const record = { n: head.n + 1, ...facts, prev: head.hash };
  return { ...record, hash: hashOf(record) };
};

/** The lines for these facts, each going on from the one before. */
export const chain = (head: Head, batch: readonly AuditFacts[]): AuditRecord[] => {
  let last = head;
  return batch.map((facts) => {
    const record = nextRecord(last, facts);
    last = record;
    return record;
  });
};

export const lineOf = (record: AuditRecord): string => `${JSON.stringify(record)}\n`;

/** Reads a line, without its end. Gives what is wrong with it, in words that go on from "line 5". */
export const readLine = (line: string): AuditRecord | string => {
  let record: AuditRecord;
  try {
    record = JSON.parse(line) as AuditRecord;
    // Two members of one name, of which others may read the other one, would not come out the same.
    if (JSON.stringify(record) !== line) return 'was changed: it is not written as the log writes lines';
  } catch {
    return 'was changed: it is not JSON';
  }
  const { n, prev, hash } = (record ?? {}) as Partial<AuditRecord>;
  if (typeof n !== 'number' || typeof prev !== 'string' || typeof hash !== 'string')
    return 'is no line of an audit log';
  const { hash: _, ...rest } = record;
  return hashOf(rest) === hash ? record : 'was changed: its hash is that of something else';
};

/** Does a line come right after `head`? Gives what is wrong, in words that go on from "line 5". */
export const chainProblem = (head: Head, { n, prev }: AuditRecord): string | undefined => {
  const next = head.n + 1;
  if (n > next) {
    const gone = n - next === 1 ? `line ${next} was` : `lines ${next} to ${n - 1} were`;
    return `does not follow: it is numbered ${n}, so ${gone} removed, or they are in another order`;
  }
  if (n < next) return `does not follow: it is numbered ${n}, so it was put in here, or lines are in another order`;
  if (prev !== head.hash) return 'does not follow: what is before it was changed, or this was put in its place';
  return undefined;
};
