import type { ListKind, ProblemView } from '../api/views.ts';
import { compareSurfaces } from '../compare/compare-surfaces.ts';
import { readSurface, type SurfaceParts, surfaceText } from '../compare/surface.ts';
import { lintSurface } from '../lint/lint-surface.ts';
import { LINT_RULES } from '../lint/table.ts';
import type { CheckRow, Finding } from '../rules/finding.ts';
import { withIsolatedServer, type IsolatedServer, type IsolatedServerOptions } from '../session/isolated-server.ts';
import type { Target } from '../session/contract.ts';
import type { LiveServer } from '../session/live.ts';
import { changeRows } from './change-rows.ts';
import { tryEras } from './era-rows.ts';
import { loadRow } from './load.ts';
import { findingRows } from './finding-rows.ts';
import { type Unread, unreadLists, unreadRow } from './unread-lists.ts';
import { counted } from '@tenon/values/counted';
import { wireRows } from './wire-rows.ts';

/** The checks to run. */
export interface CheckOptions extends Pick<IsolatedServerOptions, 'by' | 'file' | 'auth' | 'timeoutMs'> {
  /** The groups of checks. A failed connection or list is always reported, as `doctor`; `test` has no rows here. */
  readonly groups: readonly CheckRow['group'][];
  /** A saved surface, as text. */
  readonly baseline?: string;
  /** The revisions that the group `era` tries. Default: all. */
  readonly revisions?: readonly string[];
}

/** The result of a check. */
export interface CheckRun {
  /** In the order of the groups. */
  readonly rows: readonly CheckRow[];
  /** The current surface of the server, as it is saved. Undefined if connecting failed. */
  readonly surface: string | undefined;
  /** Why connecting failed. */
  readonly problem?: ProblemView;
}

/** The parts of a connected server's surface, exactly as it sent them. */
function partsOf(server: LiveServer): SurfaceParts {
  const { server: named = {}, revision = '', capabilities = {}, instructions } = server.view();
  const entries = (kind: ListKind): readonly string[] => server.list(kind).entries;
  return {
    server: named as Readonly<Record<string, unknown>>,
    revision,
    capabilities,
    instructions,
    tools: entries('tools'),
    resources: entries('resources'),
    templates: entries('templates'),
    prompts: entries('prompts'),
  };
}

const LINT_TITLES: ReadonlyMap<string, string> = new Map(LINT_RULES.map(({ id, title }) => [id, title]));

function notConnected({ problem, connectMs }: ReturnType<LiveServer['view']>): CheckRow {
  return {
    group: 'doctor',
    id: 'connect',
    title: connectMs === undefined ? 'It can be connected to' : 'The connection lasts until its lists are read',
    status: 'fail',
    detail: problem?.message ?? 'it did not get ready',
    findings:
      problem === undefined
        ? []
        : [
            {
              rule: 'connect',
              severity: 'error',
              blame: problem.blame,
              message: problem.message,
              fix: problem.fix,
              evidence: problem.evidence,
            },
          ],
  };
}

/**
 * Checks a server, on connections of its own. If connecting fails, the result is one row that says why. Rejects with the reason
 * of the signal, with a `SurfaceError` if the baseline is not a surface, and if the trace cannot be written.
 * @example
 * ```ts
 * import { runChecks } from '@tenon/inspector';
 *
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * const signal = AbortSignal.timeout(60_000);
 * const { rows } = await runChecks(target, { groups: ['lint', 'wire'], by: 'my tool 1.0' }, signal);
 * const failed = rows.filter(({ status }) => status === 'fail');
 * ```
 */
export async function runChecks(target: Target, options: CheckOptions, signal: AbortSignal): Promise<CheckRun> {
  const wanted = new Set(options.groups);
  const { groups: _, baseline, revisions, ...serverOptions } = options;
  const rows: CheckRow[] = [];
  /** Sessions that requested a revision which the server does not support. */
  const refused = new Set<string>();
  // A finding without a side to blame is expected in such a session.
  const counts = ({ session = '', blame }: Finding): boolean => blame !== 'unknown' || !refused.has(session);
  let saved: string | undefined;
  let problem: ProblemView | undefined;
  let hasFailed = false;
  // The diagnosis ends with the session, because only then is it known which requests were never answered.
  let wire: IsolatedServer | undefined;
  await withIsolatedServer(
    target,
    { ...serverOptions, bothEras: false },
    async (isolated) => {
      const { server, store } = isolated;
      const stop = (): void => void server.disconnect();
      signal.addEventListener('abort', stop, { once: true });
      try {
        await server.connect(undefined);
        signal.throwIfAborted();
        if (server.view().status !== 'ready') {
          rows.push(notConnected(server.view()));
          problem = server.view().problem;
          hasFailed = true;
          wire = isolated;
          return;
        }
        const unread = unreadLists(server);
        let perRevision: ReadonlyMap<string, readonly Unread[]> = new Map();
        // An incomplete surface would make a baseline without some tools, or a comparison that reports them as removed.
        saved = unread.length === 0 ? surfaceText(partsOf(server)) : undefined;
        const surface = saved === undefined ? undefined : readSurface(saved);
        if (wanted.has('lint') && surface !== undefined)
          rows.push(
            ...findingRows('lint', lintSurface(surface), (rule) => LINT_TITLES.get(rule) ?? rule, {
              title: 'Every entry was looked at',
              detail: (['tool', 'resource', 'template', 'prompt'] as const)
                .map((kind) => counted(surface[`${kind}s`].length, kind))
                .join(', '),
            }),
          );
        if (wanted.has('load')) rows.push(await loadRow(server, signal));
        if (wanted.has('baseline') && baseline !== undefined && surface !== undefined)
          rows.push(...changeRows(compareSurfaces(readSurface(baseline), surface)));
        if (wanted.has('era')) {
          const eras = await tryEras(server, store, revisions, signal, refused);
          rows.push(...eras.rows);
          perRevision = eras.unread;
        }
        const broken = unreadRow(unread, perRevision);
        if (broken !== undefined) rows.unshift(broken);
        signal.throwIfAborted();
        wire = isolated;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    (isolated) => {
      if (wire === undefined || !wanted.has('wire')) return;
      const all = wireRows(isolated.store.index, isolated.measured, isolated.findings.filter(counts));
      // Without a connection there are few messages, so that only findings mean something.
      rows.push(...(hasFailed ? all.filter(({ findings }) => findings.length > 0) : all));
    },
  );
  return { rows, surface: saved, problem };
}
