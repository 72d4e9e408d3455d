import type { CheckRow, DoctorStep, Finding, IsolatedServer, ServerView } from '@tenon/inspector';
import { clientFeatures } from '../session/client-features.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure } from '../failure/failure.ts';
import { inspectionOptions } from '../inspector/inspection-options.ts';
import { explainFileError } from '../failure/file-failures.ts';
import { noCallHint, targetWords } from '../inspector/no-call.ts';
import { notConnected } from '../inspector/not-connected.ts';
import { rowsText } from '../inspector/rows.ts';
import { resolveTarget } from '../inspector/targets.ts';
import { oneLine } from '../terminal/printable.ts';
import type { VerbContext } from '../session/session.ts';
import { counted } from '@tenon/values/counted';

const STATUS: Readonly<Record<DoctorStep['status'], CheckRow['status']>> = {
  pass: 'pass',
  warn: 'warn',
  fail: 'fail',
  skip: 'skip',
  running: 'fail',
};

function rowOf(step: DoctorStep): CheckRow {
  return {
    group: 'doctor',
    id: step.id,
    title: step.title,
    status: STATUS[step.status],
    detail: step.detail ?? (step.status === 'running' ? 'this step was not reached' : undefined),
    ms: step.ms,
    findings: [],
  };
}

function headOf({ name, server, revision, era, status, connectMs }: ServerView): string {
  return status === 'ready' || revision !== undefined
    ? `${oneLine(server?.title ?? server?.name ?? name, 100)} ${oneLine(server?.version ?? '', 60)}, ${revision} (${era}), connected in ${connectMs?.toFixed(0)} ms`
    : `${oneLine(name, 100)}: not connected`;
}

const BLAMES = new Set(['server', 'transport', 'unknown']);

/** The failure that the report ends with; undefined if the server is healthy. */
function verdict({ status, problem, lists }: ServerView, rows: readonly CheckRow[], findings: readonly Finding[]) {
  const broken = findings.filter(({ severity, blame }) => severity === 'error' && BLAMES.has(blame));
  const [first] = broken;
  if (status !== 'ready')
    return notConnected(
      problem?.blame === 'unknown' && first !== undefined ? { ...problem, blame: first.blame } : problem,
    );
  if (first !== undefined)
    return new Failure(
      'protocol',
      'rules_broken',
      broken.length === 1 ? first.message : `${first.message} (and ${broken.length - 1} more)`,
      {
        blame: first.blame === 'server' ? 'server' : 'unknown',
        fix: first.fix,
      },
    );
  // No rule is broken, but a step failed.
  const failed = rows.find((row) => row.status === 'fail');
  if (failed === undefined) return undefined;
  const why = failed.id === 'lists' ? lists.find((list) => list.problem !== undefined)?.problem : undefined;
  return new Failure(
    'check',
    'not_healthy',
    `Failed: "${failed.title}"${failed.detail === undefined ? '' : `. ${failed.detail}`}`,
    {
      blame: why?.blame === 'server' ? 'server' : 'unknown',
      fix: why?.fix,
    },
  );
}

/** How much of stderr is printed, in characters. */
const MAX_STDERR_LENGTH = 256 * 1024;

/** The last lines that the server wrote to stderr, up to the limit. */
function stderrOf({ store }: IsolatedServer): readonly string[] {
  const lines = store.index.all.filter(({ kind }) => kind === 'stderr').map(({ n }) => store.read(n, n)[0]?.text ?? '');
  let size = 0;
  const first = lines.findLastIndex((line) => (size += line.length + 1) > MAX_STDERR_LENGTH);
  return lines.slice(first + 1);
}

function stderrHint(count: number): string {
  return `The server wrote ${counted(count, 'line')} to stderr; --json prints them, -o writes them to a trace.`;
}

/** A healthy connection says nothing about calls. */
function hintOf({ status }: ServerView, tool: string | undefined, { target }: CommandLine): readonly string[] {
  if (status !== 'ready' || tool === undefined) return [];
  const hint = noCallHint([JSON.parse(tool)], targetWords(target));
  return hint === undefined ? [] : ['', hint];
}

/** `tenon doctor`: checks a server step by step. */
export async function doctor(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen, interrupt } = context;
  const target = await resolveTarget(line, screen.warn);
  const { withIsolatedServer } = await import('@tenon/inspector');
  const stop = new AbortController();
  await withIsolatedServer(
    target,
    {
      answering: clientFeatures(line, context.person, stop),
      ...(await inspectionOptions(target, line, screen)),
    },
    async ({ server }) => {
      const end = (): void => void server.disconnect();
      interrupt.addEventListener('abort', end, { once: true });
      await server.connect(undefined);
      interrupt.throwIfAborted();
      interrupt.removeEventListener('abort', end);
      return { view: server.view(), tool: server.list('tools').entries[0] };
    },
    // Unanswered requests are known only after the connection has ended.
    (isolated, { view, tool }) => {
      const { findings } = isolated;
      const stderr = stderrOf(isolated);
      const rows = view.doctor.map(rowOf);
      const failure = verdict(view, rows, findings);
      screen.result({
        json: () => JSON.stringify({ server: { ...view, doctor: undefined }, rows, findings, stderr }),
        text: () =>
          [
            headOf(view),
            rowsText(rows),
            ...(findings.length === 0
              ? []
              : [
                  '',
                  rowsText([
                    { group: 'wire', id: 'findings', title: 'Findings in the messages', status: 'warn', findings },
                  ]),
                ]),
            ...hintOf(view, tool, line),
            ...(stderr.length === 0 || failure === undefined ? [] : ['', stderrHint(stderr.length)]),
          ].join('\n'),
      });
      if (failure !== undefined) throw failure;
    },
  ).catch((error: unknown) => {
    throw explainFileError(error);
  });
}
