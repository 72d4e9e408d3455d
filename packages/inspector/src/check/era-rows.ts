import { revisions } from 'tenon/client';
import { counted } from '@tenon/values/counted';
import type { CheckRow, Finding } from '../rules/finding.ts';
import type { LiveServer } from '../session/live.ts';
import type { ServerView } from '../api/views.ts';
import { hasAnsweredOpening, OPENINGS } from '../session/doctor-facts.ts';
import { type Unread, unreadLists } from './unread-lists.ts';
import { valueTextAt } from '../values/json-text.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';

/** HTTP statuses that require something else of the client first, such as credentials. */
const WANTS: ReadonlySet<number | undefined> = new Set([401, 403, 407, 429]);

/**
 * Returns whether the server rejected the revision: with an error, with another revision, or with an HTTP status. That is not a
 * failure, because the server speaks another revision.
 */
function saidNo(store: TraceStore, session: string | undefined, revision: string): boolean {
  return store.index.all.some((facts) => {
    if (facts.session === session && facts.kind === 'http' && facts.status !== undefined)
      return (
        facts.status >= 400 &&
        facts.status < 500 &&
        !WANTS.has(facts.status) &&
        !hasAnsweredOpening(store.index, session)
      );
    if (facts.session !== session || facts.message !== 'response' || facts.from !== 'server') return false;
    if (!OPENINGS.has(facts.method ?? '')) return false;
    if (facts.outcome === 'error') return true;
    const offered = valueTextAt(store.read(facts.n, facts.n)[0]?.text ?? '', '/result/protocolVersion');
    return facts.method === 'initialize' && offered !== JSON.stringify(revision);
  });
}

/** `3 tools, 1 resource`, and the lists that could not be read, which have a row of their own. */
function listsText({ lists }: Pick<ServerView, 'lists'>): string {
  const texts = lists.map(({ kind, count, problem }) =>
    problem === undefined ? counted(count, kind.slice(0, -1)) : `${kind} could not be read`,
  );
  return texts.join(', ') || 'it offers no lists';
}

/** The result of trying one revision. */
interface RevisionResult {
  readonly row: CheckRow;
  readonly unread: readonly Unread[];
}

async function tryRevision(
  server: LiveServer,
  store: TraceStore,
  revision: string,
  refused: Set<string>,
): Promise<RevisionResult> {
  await server.connect(revision);
  const view = server.view();
  const { problem, connectMs, session } = view;
  const head = { group: 'era', id: revision, title: `Revision ${revision}` } as const;
  // A server speaks a revision if the handshake succeeds, even if its lists cannot be read.
  if (connectMs !== undefined)
    return {
      row: { ...head, status: 'pass', detail: listsText(view), ms: connectMs, findings: [] },
      unread: unreadLists(server),
    };
  const message = problem?.message ?? 'not connected';
  if (saidNo(store, session, revision)) {
    if (session !== undefined) refused.add(session);
    return { row: { ...head, status: 'skip', detail: `not spoken: ${message}`, findings: [] }, unread: [] };
  }
  const finding: Finding = {
    rule: 'era-connect',
    severity: 'error',
    blame: problem?.blame ?? 'unknown',
    message,
    fix: problem?.fix,
    evidence: problem?.evidence ?? [],
    session,
  };
  return { row: { ...head, status: 'fail', detail: message, findings: [finding] }, unread: [] };
}

/** The row for a server that speaks none of the revisions tried. Undefined: it speaks at least one. */
function noneRow(rows: readonly CheckRow[]): CheckRow | undefined {
  if (rows.some(({ status }) => status === 'pass')) return undefined;
  const refusedAll = rows.every(({ status }) => status === 'skip');
  return {
    group: 'era',
    id: 'any',
    title: 'It supports a revision',
    status: 'fail',
    detail: refusedAll
      ? 'it refused each that was tried'
      : 'the handshake succeeded with none of those that were tried',
    findings: [],
  };
}

/** The result of the group `era`. */
export interface Eras {
  readonly rows: readonly CheckRow[];
  /** The lists that could not be read, by revision. */
  readonly unread: ReadonlyMap<string, readonly Unread[]>;
}

/**
 * Tries one revision after the other, each on a separate connection. `refused` receives the sessions in which the server rejected
 * the revision.
 */
export async function tryEras(
  server: LiveServer,
  store: TraceStore,
  which: readonly string[] = revisions,
  signal?: AbortSignal,
  refused = new Set<string>(),
): Promise<Eras> {
  const rows: CheckRow[] = [];
  const unread = new Map<string, readonly Unread[]>();
  for (const revision of which) {
    signal?.throwIfAborted();
    const tried = await tryRevision(server, store, revision, refused);
    rows.push(tried.row);
    unread.set(revision, tried.unread);
  }
  await server.disconnect();
  const none = noneRow(rows);
  return { rows: none === undefined ? rows : [...rows, none], unread };
}
