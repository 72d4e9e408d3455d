import { revisions } from 'tenon/client';
import type { CheckRow, Finding } from '../rules/finding.ts';
import type { LiveServer } from '../session/live.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';

const OPENINGS: ReadonlySet<string> = new Set(['server/discover', 'initialize']);

/** Was the first request of a session answered? Then the server is there, and said no. */
const saidNo = (store: TraceStore, session: string | undefined): number | undefined =>
  store.index.all.find(
    (facts) =>
      facts.session === session &&
      facts.message === 'response' &&
      facts.from === 'server' &&
      OPENINGS.has(facts.method ?? ''),
  )?.n;

const rowOf = async (server: LiveServer, store: TraceStore, revision: string): Promise<CheckRow> => {
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
  const no = saidNo(store, session);
  if (no !== undefined) return { ...head, status: 'skip', detail: `not spoken: ${message}`, findings: [] };
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

/** Connects with one revision after the other, each on a connection of its own. */
export const eraRows = async (
  server: LiveServer,
  store: TraceStore,
  which: readonly string[] = revisions,
): Promise<CheckRow[]> => {
  const rows: CheckRow[] = [];
  for (const revision of which) rows.push(await rowOf(server, store, revision));
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
