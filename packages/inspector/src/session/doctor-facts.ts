import type { StderrLine } from '../rules/pipe/stderr-lines.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import type { TraceIndex } from '../trace/trace-index.ts';

/** The facts of a session that the doctor needs: few, however long the session is. */
export interface DoctorFacts {
  /** The first lines of each sort, and the last one, in the order of the trace. */
  readonly facts: readonly Facts[];
  /** The number of texts that are not messages. */
  readonly junk: number;
  /** The last lines of stderr of the newest process. */
  readonly stderr: readonly number[];
}

/** The limit per sort. Requests that open a session, hops and notes are few. */
const MAX_FACTS = 200;
/** The limit for sorts with any number of lines: the first few are enough. */
const MAX_SHOWN = 5;
/** Enough for a printed error, whose message stands above its stack. */
const MAX_STDERR = 60;

/** The first request of each era. */
export const OPENINGS: ReadonlySet<string> = new Set(['server/discover', 'initialize']);

/** The sort of a line, and how many lines of that sort are kept. Undefined: the doctor does not need it. */
function sortOf(facts: Facts): readonly [sort: string, most: number] | undefined {
  const { kind, from, message, method, status } = facts;
  if (kind === 'message') {
    // Without an id, as with a refusal over HTTP, it answers no request.
    if (from === 'server')
      return facts.outcome === 'error' && facts.pair === undefined ? ['refusal', MAX_SHOWN] : ['said', 1];
    return message === 'request' && OPENINGS.has(method ?? '') ? ['opening', MAX_FACTS] : undefined;
  }
  if (kind === 'junk' || kind === 'lost') return ['junk', MAX_SHOWN];
  if (kind === 'http') return status === undefined ? ['http', MAX_SHOWN] : [`http ${status}`, MAX_SHOWN];
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

/** Each line of a trace is read once, because a view is computed at every change, even during a flood. */
const SEEN = new WeakMap<TraceIndex, Seen>();

function addFacts(session: Session, facts: Facts): void {
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

/** The facts of a session that the doctor needs. */
export function doctorFacts(index: TraceIndex, session: string | undefined): DoctorFacts {
  const seen = SEEN.get(index) ?? { upTo: 0, sessions: new Map<string, Session>() };
  SEEN.set(index, seen);
  for (const { all } = index; seen.upTo < all.length; seen.upTo++) {
    const facts = all[seen.upTo]!;
    const own = seen.sessions.get(facts.session) ?? { kept: [], counts: new Map(), last: new Map(), stderr: [] };
    seen.sessions.set(facts.session, own);
    addFacts(own, facts);
  }
  const own = session === undefined ? undefined : seen.sessions.get(session);
  if (own === undefined) return NONE;
  return {
    facts: [...own.kept, ...own.last.values()].toSorted((a, b) => a.n - b.n),
    junk: own.counts.get('junk') ?? 0,
    stderr: own.stderr.slice(-MAX_STDERR),
  };
}

/** Returns whether the server has answered the first request of an era with a result. */
export function hasAnsweredOpening(index: TraceIndex, session: string | undefined): boolean {
  return doctorFacts(index, session).facts.some(isAnsweredOpening);
}

/** Is this the first request of an era, and was it answered with a result? */
export function isAnsweredOpening({ message, method, outcome }: Facts): boolean {
  return message === 'request' && OPENINGS.has(method ?? '') && outcome === 'ok';
}

/** The last lines that the newest process of a session wrote to stderr. */
export function stderrLines(store: Pick<TraceStore, 'index' | 'read'>, session: string | undefined): StderrLine[] {
  return doctorFacts(store.index, session).stderr.map((n) => ({ n, text: store.read(n, n)[0]?.text ?? '' }));
}
