import { type Facts, valueOf } from '../trace/facts.ts';
import type { TraceLine } from '../trace/line.ts';
import type { TraceIndex } from '../trace/trace-index.ts';
import { SessionReader } from './era.ts';
import type { Blame, Finding } from './finding.ts';
import { createFindingStore, type FindingStore } from './finding-store.ts';
import { clauseOf } from './pages.ts';
import type { RuleFinding, Rule, Seen, Watcher } from './rule.ts';
import { RULES } from './table.ts';
import { shown } from './words.ts';

/** Watches a trace, and reports which side broke which rule. */
export interface Diagnosis {
  /** Processes the next line. Lines must come in the order of the trace. */
  see(line: TraceLine, facts: Facts, index: TraceIndex): void;
  /** The trace has ended: missing messages are reported now. */
  end(): void;
  /** The findings so far, in the order in which they were found; those that are only counted come last. */
  readonly findings: readonly Finding[];
}

export interface DiagnosisOptions {
  /** Default: all. */
  readonly rules?: readonly Rule[];
}

/** The most sessions watched at a time. Beyond that, the session that has been quiet for longest counts as ended. */
const MAX_SESSIONS = 1_000;
/** The most ended sessions remembered. */
const MAX_ENDED = 100_000;

/** The methods of a watcher that receive a part of the trace. */
const PARTS = ['line', 'request', 'response', 'notification', 'malformed', 'text'] as const;
type Part = (typeof PARTS)[number];

interface Watched {
  readonly id: string;
  readonly watcher: Watcher;
  failed: boolean;
}

interface SessionWatch {
  readonly reader: SessionReader;
  readonly all: readonly Watched[];
  readonly parts: Readonly<Record<Part, readonly Watched[]>>;
}

/** `onFinding` is called at once for each finding; for findings that are only counted, when the trace ends. */
export function createDiagnosis(
  onFinding: (finding: Finding) => void = () => {},
  { rules = RULES }: DiagnosisOptions = {},
): Diagnosis {
  const store = createFindingStore();
  /** Ordered by their last line, newest last. */
  const sessions = new Map<string, SessionWatch>();
  const over = new Set<string>();
  let ended = false;
  /** Lines are missing, and their session is unknown. */
  let isDamaged = false;
  let at = 0;

  const close = (name: string, { all, reader }: SessionWatch): void => {
    reader.end(at);
    callWatchers(all, 'end', undefined, (id, error) => store.add(ruleFailed(id, error, reader.state.last.n, name)));
  };

  let newest: readonly [name: string, session: SessionWatch] | undefined;
  const sessionOf = (name: string): SessionWatch | undefined => {
    if (newest?.[0] === name) return newest[1];
    if (over.has(name)) return undefined;
    const known = sessions.get(name);
    const session = known ?? watchSession(name, rules, store);
    if (known === undefined && isDamaged) session.reader.miss();
    sessions.delete(name);
    sessions.set(name, session);
    newest = [name, session];
    if (sessions.size > MAX_SESSIONS) {
      const [oldest, left] = sessions.entries().next().value!;
      sessions.delete(oldest);
      if (over.size < MAX_ENDED) over.add(oldest);
      close(oldest, left);
    }
    return session;
  };

  const look = (session: SessionWatch, line: TraceLine, facts: Facts, index: TraceIndex): void => {
    const { reader, all, parts } = session;
    const failed = (id: string, error: unknown): void => store.add(ruleFailed(id, error, line.n, line.session));
    const value = valueOf(line);
    let read: ReturnType<SessionReader['read']>;
    try {
      read = reader.read(line, value);
    } catch (error) {
      return failed('era', error);
    }
    if (read.anew) callWatchers(all, 'anew', undefined, failed);
    const seen: Seen = { line, facts, value, messages: read.messages, index };
    if (line.kind !== 'message') return callWatchers(parts.line, 'line', seen, failed);
    for (const message of read.messages) callWatchers(parts[message.kind], message.kind, message, failed);
    callWatchers(parts.text, 'text', seen, failed);
  };

  return {
    see(line, facts, index) {
      at = line.at;
      // A damaged line has no session.
      if (line.kind === 'lost' && line.session === '') {
        isDamaged = true;
        for (const { reader } of sessions.values()) reader.miss();
      }
      const session = sessionOf(line.session);
      if (session !== undefined) look(session, line, facts, index);
      // Called outside of the rules, so that an error of the listener is not attributed to a rule.
      for (const finding of store.fresh()) onFinding(finding);
    },
    end() {
      if (ended) return;
      ended = true;
      for (const [name, session] of sessions) close(name, session);
      for (const finding of [...store.fresh(), ...store.rest]) onFinding(finding);
    },
    get findings() {
      return store.all;
    },
  };
}

function watchSession(name: string, rules: readonly Rule[], store: FindingStore): SessionWatch {
  const reader = new SessionReader(name);
  /** The sides blamed on the newest line, with the rule. */
  const accused = { n: 0, by: new Map<Blame, string>() };
  const accuse = ({ severity, blame, evidence }: RuleFinding, rule: string): void => {
    const { n } = reader.state.last;
    if (severity !== 'error' || !evidence.includes(n)) return;
    if (accused.n !== n) accused.by.clear();
    accused.n = n;
    if (!accused.by.has(blame)) accused.by.set(blame, rule);
  };
  const begin = (rule: Rule): Watcher =>
    rule.watch(
      (all) => {
        const { revision = reader.state.revision, page = rule.page, ...found } = all;
        const clause = page === undefined ? undefined : clauseOf(page, revision);
        accuse(all, rule.id);
        store.add({ rule: rule.id, ...found, clause, session: name });
      },
      reader.state,
      (n, side) => (accused.n === n ? accused.by.get(side) : undefined),
    );
  const all = rules.map((rule): Watched => {
    try {
      return { id: rule.id, watcher: begin(rule), failed: false };
    } catch (error) {
      store.add(ruleFailed(rule.id, error, 0, name));
      return { id: rule.id, watcher: {}, failed: true };
    }
  });
  const having = (part: Part): Watched[] => all.filter(({ watcher }) => watcher[part] !== undefined);
  const parts = Object.fromEntries(PARTS.map((part) => [part, having(part)])) as Record<Part, Watched[]>;
  return { reader, all, parts };
}

/** Calls each watcher. One that throws is not called again in its session, because its state may be inconsistent. */
function callWatchers(
  watched: readonly Watched[],
  part: keyof Watcher,
  what: unknown,
  failed: (id: string, error: unknown) => void,
): void {
  for (const one of watched) {
    if (one.failed) continue;
    try {
      (one.watcher[part] as ((what: unknown) => void) | undefined)?.(what);
    } catch (error) {
      one.failed = true;
      failed(one.id, error);
    }
  }
}

function ruleFailed(id: string, error: unknown, n: number, session: string): Finding {
  return {
    rule: 'rule-failed',
    severity: 'warning',
    blame: 'unknown',
    message: `The rule ${id} failed and says nothing more about this session: ${shown(String(error), 200)}`,
    fix: 'This is a fault of the inspector. Please report it, with the trace.',
    subject: id,
    evidence: n === 0 ? [] : [n],
    session,
  };
}
