import { canonicalJson } from '@tenon/values/canonical-json';
import { escapeHidden } from '@tenon/values/hidden';
import { truncate } from '../values/plain-text.ts';
import { sha256 } from '../values/sha256.ts';
import { withoutSecrets } from './secrets.ts';

/** The kinds of actions. `audit` is a note about the log itself. */
export type AuditAct =
  | 'start'
  | 'stop'
  | 'call'
  | 'read'
  | 'watch'
  | 'prompt'
  | 'sample'
  | 'sampled'
  | 'question'
  | 'changed'
  | 'grant'
  | 'revoke'
  | 'audit';

/** An entry of the log: an action, its decision or its outcome. */
export interface AuditEntry {
  /** Who requested it: `model`, `user`, `host`, or the alias of a server. `audit` for the log itself. */
  readonly requestedBy: string;
  readonly act: AuditAct;
  /** The alias of the server. */
  readonly server?: string;
  /** The name of a tool or prompt, or the URI of a resource. */
  readonly target?: string;
  /** Of an entry about the log itself: what happened to it. */
  readonly note?: string;
  /** Only a digest of the arguments is written. */
  readonly arguments?: unknown;
  readonly decision?: 'allow' | 'deny' | 'ask→allow' | 'ask→deny' | 'ask→cancel';
  /** The rule or earlier decision that decided; without a decision, the reason. */
  readonly rule?: string;
  readonly outcome?: 'ok' | 'error' | 'cancelled' | 'timeout';
  /** The duration in milliseconds. */
  readonly ms?: number;
  /** The protocol revision. */
  readonly revision?: string;
}

/** An entry that is ready to be written: shortened, and without secrets. */
export interface AuditFacts extends Omit<AuditEntry, 'arguments'> {
  /** The time, in ISO 8601. */
  readonly at: string;
  readonly argumentsDigest?: string;
}

/** A line of the log. */
export interface AuditRecord extends AuditFacts {
  /** The line number, from 1. */
  readonly n: number;
  /** The hash of the previous line. */
  readonly prev: string;
  /** SHA-256 of the canonical JSON of the line without `hash`. */
  readonly hash: string;
}

/** The last line of a log, which the next line continues. */
export interface Head {
  readonly n: number;
  readonly hash: string;
}

/** The head of a log without lines. */
export const START: Head = { n: 0, hash: '0'.repeat(64) };

/** Maximum length of a line in bytes. The parts are shortened to fit. */
export const MAX_LINE_BYTES = 16 * 1024;

/** Maximum characters of a text, and of a name. */
const MAX_TEXT = 500;
const MAX_NAME = 200;
/** Maximum characters that are processed, as a peer may send megabytes. */
const MAX_INPUT = 4_000;
/** Characters that are dropped at the cut, as they may be part of a secret that is not recognizable on its own. */
const MARGIN = 200;

export type Redact = (text: string) => string;

function sanitize(text: string, maxLength: number, redact: Redact): string {
  const clean = redact(withoutSecrets(text.slice(0, MAX_INPUT)));
  return truncate(escapeHidden(text.length > MAX_INPUT ? `${clean.slice(0, -MARGIN)}…` : clean), maxLength);
}

/** Prepares an entry for writing. Everything in it may come from a server. */
export function factsOf(
  { requestedBy, act, server, target, note, decision, rule, outcome, ms, revision }: AuditEntry,
  at: number,
  argumentsDigest: string | undefined,
  redact: Redact = (text) => text,
): AuditFacts {
  const name = <T extends string>(text: T | undefined): T | undefined =>
    text === undefined ? undefined : (sanitize(text, MAX_NAME, redact) as T);
  const text = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : sanitize(value, MAX_TEXT, redact);
  return {
    at: new Date(at).toISOString(),
    requestedBy: name(requestedBy)!,
    act: name(act)!,
    server: name(server),
    target: text(target),
    note: text(note),
    argumentsDigest,
    decision: name(decision),
    rule: text(rule),
    outcome: name(outcome),
    ms: Number.isFinite(ms) ? Math.round(ms!) : undefined,
    revision: name(revision),
  };
}

/** The members that the hash is of. None is optional, so that none can be forgotten. */
type HashedMembers = { readonly [Name in Exclude<keyof AuditRecord, 'hash'>]: AuditRecord[Name] | undefined };

/** The hash of a record with these members only. Written in the order of their names, they are canonical JSON. */
function hashOfNew(n: number, prev: string, facts: AuditFacts): string {
  const { act, argumentsDigest, at, decision, ms, note, outcome, requestedBy, revision, rule, server, target } = facts;
  const sorted: HashedMembers = {
    act,
    argumentsDigest,
    at,
    decision,
    ms,
    n,
    note,
    outcome,
    prev,
    requestedBy,
    revision,
    rule,
    server,
    target,
  };
  return sha256(JSON.stringify(sorted));
}

/** The line that follows `head`. */
function nextRecord(head: Head, facts: AuditFacts): AuditRecord {
  const n = head.n + 1;
  const prev = head.hash;
  return { n, ...facts, prev, hash: hashOfNew(n, prev, facts) };
}

/** The lines for these entries, each linked to the one before. */
export function chain(head: Head, batch: readonly AuditFacts[]): AuditRecord[] {
  let last = head;
  return batch.map((facts) => {
    const record = nextRecord(last, facts);
    last = record;
    return record;
  });
}

export function lineOf(record: AuditRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** The problem of a line that is not UTF-8. It is not repaired: the repaired text could be what the log once contained. */
export const NOT_UTF8 = 'was changed: it is not UTF-8';

/** Parses a line without its line break. Returns a record, or the problem as a phrase that follows "line 5". */
export function readLine(line: string): AuditRecord | string {
  let record: AuditRecord;
  try {
    record = JSON.parse(line) as AuditRecord;
    // Rejects duplicate keys, of which another JSON parser may use the other value.
    if (JSON.stringify(record) !== line) return 'was changed: it is not formatted as the log formats lines';
  } catch {
    return 'was changed: it is not JSON';
  }
  const { n, prev, hash } = (record ?? {}) as Partial<AuditRecord>;
  if (typeof n !== 'number' || typeof prev !== 'string' || typeof hash !== 'string')
    return 'is not a line of an audit log';
  const { hash: _, ...rest } = record;
  // Canonical, as a later version may have other members.
  return sha256(canonicalJson(rest)) === hash ? record : 'was changed: its hash does not match';
}

/** Whether bytes are the beginning of a line. After a power loss, a part that was never written reads as zeros. */
export function isLineStart(fragment: Buffer): boolean {
  return '{"n":'.startsWith(fragment.toString('latin1').replace(/\0+$/, '').slice(0, 5));
}

/** Checks that a line directly follows `head`. Returns the problem as a phrase that follows "line 5". */
export function chainProblem(head: Head, { n, prev }: AuditRecord): string | undefined {
  const next = head.n + 1;
  if (n > next) {
    const gone = n - next === 1 ? `line ${next} was` : `lines ${next} to ${n - 1} were`;
    return `does not follow: it is numbered ${n}, so ${gone} removed or reordered`;
  }
  if (n < next) return `does not follow: it is numbered ${n}, so it was inserted, or lines were reordered`;
  if (prev !== head.hash) return 'does not follow: the line before it was changed, or this one was inserted';
  return undefined;
}
