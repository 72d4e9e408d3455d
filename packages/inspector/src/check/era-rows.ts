import { revisions } from 'tenon/client';
import type { CheckRow, Finding } from '../rules/finding.ts';
import type { LiveServer } from '../session/live.ts';
import { valueTextAt } from '../values/json-text.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';

const OPENINGS: ReadonlySet<string> = new Set(['server/discover', 'initialize']);

/** Was the first request of a session answered as it should be? */
const spoke = (store: TraceStore, session: string | undefined): boolean =>
  store.index.all.some(
    (facts) =>
      facts.session === session &&
      facts.message === 'response' &&
      OPENINGS.has(facts.method ?? '') &&
      facts.outcome === 'ok',
  );

/** Statuses with which a server over HTTP says that it wants something else of who asks. */
const WANTS: ReadonlySet<number | undefined> = new Set([401, 403, 407, 429]);

/**
 * Did the server say no to the revision: with an error, by offering another, or by the status of HTTP? Then it is there, because it speaks
 * another, and nothing is wrong.
 */
const saidNo = (store: TraceStore, session: string | undefined, revision: string): boolean =>
  store.index.all.some((facts) => {
    if (facts.session === session && facts.kind === 'http' && facts.status !== undefined)
      return facts.status >= 400 && facts.status < 500 && !WANTS.has(facts.status) && !spoke(store, session);
    if (facts.session !== session || facts.message !== 'response' || facts.from !== 'server') return false;
    if (!OPENINGS.has(facts.method ?? '')) return false;
    if (facts.outcome === 'error') return true;
    const offered = valueTextAt(store.read(facts.n, facts.n)[0]?.text ?? '', '/result/protocolVersion');
    return facts.method === 'initialize' && offered !== JSON.stringify(revision);
  });

const rowOf = async (
  server: LiveServer,
  store: TraceStore,
  revision: string,
  refused: Set<string>,
): Promise<CheckRow> => {
  await server.connect(revision);
  const { status, lists, problem, connectMs, session, doctor } = server.view();
  const head = { group: 'era', id: revision, title: `Revision ${revision}` } as const;
  if (status === 'ready') {
    const broken = lists.find((list) => list.problem !== undefined);
    const evidence = doctor.find(({ id }) => id === 'lists')?.evidence ?? [];
    const finding: Finding | undefined =
      broken === undefined
        ? undefined
        : {
            rule: 'era-lists',
            severity: 'error',
            blame: 'server',
            message: `The list of ${broken.kind} cannot be read: ${broken.problem}`,
            evidence,
            ...(session === undefined ? {} : { session }),
          };
    return {
      ...head,
      status: finding === undefined ? 'pass' : 'fail',
      detail: lists.map(({ kind, count }) => `${count} ${kind}`).join(', ') || 'it offers no lists',
      ...(connectMs === undefined ? {} : { ms: connectMs }),
      findings: finding === undefined ? [] : [finding],
    };
  }
  const message = problem?.message ?? 'not connected';
  if (saidNo(store, session, revision)) {
    if (session !== undefined) refused.add(session);
    return { ...head, status: 'skip', detail: `not spoken: ${message}`, findings: [] };
  }
  return {
    ...head,
    status: 'fail',
    detail: message,
    findings: [
      {
        rule: 'era-connect',
        severity: 'error',
        blame: problem?.blame ?? 'unknown',
        message,
        ...(problem?.fix === undefined ? {} : { fix: problem.fix }),
        evidence: problem?.evidence ?? [],
        ...(session === undefined ? {} : { session }),
      },
    ],
  };
};

/** Connects with one revision after the other, each on a connection of its own. `refused` gets the sessions in which the server said no. */
export const eraRows = async (
  server: LiveServer,
  store: TraceStore,
  which: readonly string[] = revisions,
  signal?: AbortSignal,
  refused = new Set<string>(),
): Promise<CheckRow[]> => {
  const rows: CheckRow[] = [];
  for (const revision of which) {
    signal?.throwIfAborted();
    rows.push(await rowOf(server, store, revision, refused));
  }
  await server.disconnect();
  if (rows.every(({ status }) => status !== 'pass'))
    rows.push({
      group: 'era',
      id: 'any',
      title: 'It speaks some revision',
      status: 'fail',
      detail: 'it speaks none of those that were tried',
      findings: [],
    });
  return rows;
};
