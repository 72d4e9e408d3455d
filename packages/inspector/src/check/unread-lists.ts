import type { ListKind } from '../api/views.ts';
import type { CheckRow, Finding } from '../rules/finding.ts';
import type { LiveServer } from '../session/live.ts';
import { depthOf } from '../values/json-text.ts';

/** A list that could not be read on a connection, or the connection itself if it ended before all lists were read. */
export interface Unread extends Pick<Finding, 'blame' | 'message' | 'fix' | 'evidence' | 'session'> {
  readonly of: ListKind | 'connection';
}

/** Deeper than clients parse, and than a surface can be saved. */
const MAX_DEPTH = 128;

/** The lists of a connection that could not be read, or not in full. */
export function unreadLists(server: LiveServer): readonly Unread[] {
  const { status, problem, lists, doctor, session } = server.view();
  if (status !== 'ready')
    return [
      {
        of: 'connection',
        message: `the connection ended before its lists were read: ${problem?.message ?? status}`,
        blame: problem?.blame ?? 'unknown',
        fix: problem?.fix,
        evidence: problem?.evidence ?? [],
        session,
      },
    ];
  return lists.flatMap((list): Unread[] => {
    if (list.problem !== undefined) {
      const { message, blame, fix, evidence } = list.problem;
      return [
        {
          of: list.kind,
          message: `the list of ${list.kind} cannot be read: ${message}`,
          blame,
          fix,
          evidence,
          session,
        },
      ];
    }
    const deep = server.list(list.kind).entries.filter((entry) => depthOf(entry) > MAX_DEPTH).length;
    if (deep === 0) return [];
    return [
      {
        of: list.kind,
        message: `${deep} of ${list.kind} ${deep === 1 ? 'is' : 'are'} nested deeper than ${MAX_DEPTH} levels`,
        blame: 'server',
        evidence: doctor.find(({ id }) => id === 'lists')?.evidence ?? [],
        session,
      },
    ];
  });
}

function findingOf(unread: Unread, revisions: readonly string[]): Finding {
  const { message, blame, fix, evidence, session } = unread;
  const text =
    revisions.length === 0
      ? `${message[0]!.toUpperCase()}${message.slice(1)}`
      : `With ${revisions.join(', ')} ${message}`;
  return {
    rule: 'lists',
    severity: 'error',
    blame,
    message: text,
    fix,
    evidence,
    session,
  };
}

/**
 * The row for lists that cannot be read. Undefined: all can. A list has one finding: for the connection without a fixed revision
 * if it failed there, otherwise for the revisions in which it failed.
 */
export function unreadRow(
  first: readonly Unread[],
  perRevision: ReadonlyMap<string, readonly Unread[]>,
): CheckRow | undefined {
  const reported = new Set(first.map((unread) => unread.of));
  const later = new Map<Unread['of'], { readonly unread: Unread; readonly revisions: string[] }>();
  for (const [revision, all] of perRevision)
    for (const unread of all) {
      if (reported.has(unread.of)) continue;
      const known = later.get(unread.of);
      if (known === undefined) later.set(unread.of, { unread, revisions: [revision] });
      else known.revisions.push(revision);
    }
  const findings = [
    ...first.map((unread) => findingOf(unread, [])),
    ...[...later.values()].map(({ unread, revisions }) => findingOf(unread, revisions)),
  ];
  if (findings.length === 0) return undefined;
  return {
    group: 'doctor',
    id: 'lists',
    title: 'Its lists can be read',
    status: 'fail',
    detail:
      first.length === 0
        ? 'not in every revision'
        : 'its definitions are not known, so they are neither linted nor compared',
    findings,
  };
}
