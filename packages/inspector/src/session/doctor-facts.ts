import type { StderrLine } from '../rules/pipe/stderr-lines.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import type { TraceIndex } from '../trace/trace-index.ts';

/** What of a session a doctor looks at: few lines, however long the session is. */
export interface DoctorFacts {
  /** In the order of the trace: the first lines of each sort, and the last. */
  readonly facts: readonly Facts[];
  /** Texts that are no messages. */
  readonly junk: number;
  /** The last lines of stderr of the newest process. */
  readonly stderr: readonly number[];
}

/** Of one sort: more are not kept. Requests that open a session, hops and refusals are few. */
const MAX_FACTS = 200;
/** What is there in any number: the first few show it. */
const FEW = 5;
/** Enough for the print of an error, whose message stands above its stack. */
const MAX_STDERR = 60;

const OPENINGS: ReadonlySet<string> = new Set(['server/discover', 'initialize']);

/** The sort of a line, and how many of it are kept. Undefined: no doctor looks at it. */
function sortOf({ kind, from, message, method, status }: Facts): readonly [sort: string, most: number] | undefined {
  if (kind === 'message') {
    if (from === 'server') return ['said', 1];
    return message === 'request' && OPENINGS.has(method ?? '') ? ['opening', MAX_FACTS] : undefined;
  }
  if (kind === 'junk' || kind === 'lost') return ['junk', FEW];
  if (kind === 'http') return status === undefined ? ['http', FEW] : [`http ${status}`, FEW];
  if (kind === 'auth' || kind === 'note') return [kind, MAX_FACTS];
  return [kind, 1];
}

interface Session {
  readonly kept: Facts[];
  readonly counts: Map<string, number>;
  readonly last: Map<string, Facts>;
  stderr: number[];
}

interface Seen {
  upTo: number;
  readonly sessions: Map<string, Session>;
}

/** A trace is read once, however often a doctor looks: a view is made at every change, also in the middle of a flood. */
const SEEN = new WeakMap<TraceIndex, Seen>();

function take(session: Session, facts: Facts): void {
  const { kept, counts, last } = session;
  if (facts.kind === 'open') session.stderr = [];
  if (facts.kind === 'stderr') session.stderr.push(facts.n);
  if (session.stderr.length > MAX_STDERR * 2) session.stderr = session.stderr.slice(-MAX_STDERR);
  const sort = sortOf(facts);
  if (sort === undefined) return;
  const [name, most] = sort;
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  if (count <= most) kept.push(facts);
  else last.set(name, facts);
}

const NONE: DoctorFacts = { facts: [], junk: 0, stderr: [] };

/** What a doctor looks at in a session. */
export function doctorFacts(index: TraceIndex, session: string | undefined): DoctorFacts {
  const seen = SEEN.get(index) ?? { upTo: 0, sessions: new Map<string, Session>() };
  SEEN.set(index, seen);
  for (const { all } = index; seen.upTo < all.length; seen.upTo++) {
    const facts = all[seen.upTo]!;
    const own = seen.sessions.get(facts.session) ?? { kept: [], counts: new Map(), last: new Map(), stderr: [] };
    seen.sessions.set(facts.session, own);
    take(own, facts);
  }
  const own = session === undefined ? undefined : seen.sessions.get(session);
  if (own === undefined) return NONE;
  return {
    facts: [...own.kept, ...own.last.values()].toSorted((a, b) => a.n - b.n),
    junk: own.counts.get('junk') ?? 0,
    stderr: own.stderr.slice(-MAX_STDERR),
  };
}

/** What the newest process of a session wrote to stderr last. */
export function stderrLines(store: Pick<TraceStore, 'index' | 'read'>, session: string | undefined): StderrLine[] {
  return doctorFacts(store.index, session).stderr.map((n) => ({ n, text: store.read(n, n)[0]?.text ?? '' }));
}
