import type { Alone, CheckRow, DoctorStep, Finding, ServerView } from '@tenon/inspector';
import { asking } from '../asking.ts';
import type { CommandLine } from '../command-line.ts';
import { Failure } from '../failure.ts';
import { aloneGiven } from '../inspector/alone.ts';
import { explainedFile } from '../inspector/files.ts';
import { notConnected } from '../inspector/not-connected.ts';
import { rowsText } from '../inspector/rows.ts';
import { targetGiven } from '../inspector/targets.ts';
import { oneLine } from '../printable.ts';
import type { World } from '../session.ts';

const STATUS: Readonly<Record<DoctorStep['status'], CheckRow['status']>> = {
  pass: 'pass',
  warn: 'warn',
  fail: 'fail',
  skip: 'skip',
  running: 'fail',
};

const rowOf = (step: DoctorStep): CheckRow => ({
  group: 'doctor',
  id: step.id,
  title: step.title,
  status: STATUS[step.status],
  ...(step.status === 'running' ? { detail: 'it did not come to this' } : {}),
  ...(step.detail === undefined ? {} : { detail: step.detail }),
  ...(step.ms === undefined ? {} : { ms: step.ms }),
  findings: [],
});

const headOf = ({ name, server, revision, era, status, connectMs }: ServerView): string =>
  status === 'ready' || revision !== undefined
    ? `${oneLine(server?.title ?? server?.name ?? name, 100)} ${oneLine(server?.version ?? '', 60)}, ${revision} (${era}), connected in ${connectMs?.toFixed(0)} ms`
    : `${oneLine(name, 100)}: not connected`;

const BLAMES = new Set(['server', 'unknown']);

/** What the doctor says in the end; nothing where all is well. */
const verdict = ({ status, problem, lists }: ServerView, rows: readonly CheckRow[], findings: readonly Finding[]) => {
  const broken = findings.filter(({ severity, blame }) => severity === 'error' && BLAMES.has(blame));
  const [first] = broken;
  if (status !== 'ready') return notConnected(first === undefined ? problem : { ...problem, blame: first.blame });
  if (first !== undefined)
    return new Failure(
      'protocol',
      'rules_broken',
      broken.length === 1 ? first.message : `${first.message} (and ${broken.length - 1} more)`,
      {
        blame: first.blame === 'server' ? 'server' : 'unknown',
        ...(first.fix === undefined ? {} : { fix: first.fix }),
      },
    );
  // No rule was broken, and still something does not work.
  const failed = rows.find((row) => row.status === 'fail');
  if (failed === undefined) return undefined;
  const why = failed.id === 'lists' ? lists.find((list) => list.problem !== undefined)?.problem : undefined;
  return new Failure(
    'check',
    'not_healthy',
    `Failed: "${failed.title}"${failed.detail === undefined ? '' : `. ${failed.detail}`}`,
    {
      blame: why?.blame === 'server' ? 'server' : 'unknown',
      ...(why?.fix === undefined ? {} : { fix: why.fix }),
    },
  );
};

/** More of stderr is not printed, in characters. */
const LONGEST_STDERR = 256 * 1024;

/** All that the server wrote to stderr. */
const stderrOf = ({ store }: Alone): readonly string[] => {
  const lines = store.index.all.filter(({ kind }) => kind === 'stderr').map(({ n }) => store.read(n, n)[0]?.text ?? '');
  let size = 0;
  const first = lines.findLastIndex((line) => (size += line.length + 1) > LONGEST_STDERR);
  return lines.slice(first + 1);
};

const stderrHint = (count: number): string =>
  `The server wrote ${count} ${count === 1 ? 'line' : 'lines'} to stderr; --json has all, -o keeps them in a trace.`;

/** `tenon doctor`: looks a server over, step by step. */
export const doctor = async (line: CommandLine, world: World): Promise<void> => {
  const { screen, interrupt } = world;
  const target = await targetGiven(line);
  const { withServerAlone } = await import('@tenon/inspector');
  const stop = new AbortController();
  await withServerAlone(
    target,
    {
      answering: asking(line, world.person, stop),
      ...(await aloneGiven(target, line, screen)),
    },
    async ({ server }) => {
      const end = (): void => void server.disconnect();
      interrupt.addEventListener('abort', end, { once: true });
      await server.connect(undefined);
      interrupt.throwIfAborted();
      interrupt.removeEventListener('abort', end);
      return server.view();
    },
    // What was never answered is known only when the connection has ended.
    (alone, view) => {
      const { findings } = alone;
      const stderr = stderrOf(alone);
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
                    { group: 'wire', id: 'findings', title: 'What was seen on the wire', status: 'warn', findings },
                  ]),
                ]),
            ...(stderr.length === 0 || failure === undefined ? [] : ['', stderrHint(stderr.length)]),
          ].join('\n'),
      });
      if (failure !== undefined) throw failure;
    },
  ).catch((error: unknown) => {
    throw explainedFile(error);
  });
};
