import { existsSync } from 'node:fs';
import type { CheckRow } from '@tenon/inspector';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { noCallHint, targetWords } from '../inspector/no-call.ts';
import { notConnected } from '../inspector/not-connected.ts';
import { namedTrace } from '../inspector/named-trace.ts';
import { writeReports } from '../inspector/reports.ts';
import { rowsSummary, rowsText } from '../inspector/rows.ts';
import { inspectionOptions } from '../inspector/inspection-options.ts';
import { explainFileError, readTextFile, writeReport } from '../failure/file-failures.ts';
import { resolveTarget } from '../inspector/targets.ts';
import type { VerbContext } from '../session/session.ts';
import { counted } from '@tenon/values/counted';
import { checkRecorded } from './check-trace.ts';

/** The checks that run if none is chosen. */
const DEFAULT_GROUPS: readonly CheckRow['group'][] = ['lint', 'wire', 'era'];

function selectGroups(line: CommandLine): readonly CheckRow['group'][] {
  const given = (['lint', 'wire', 'era', 'baseline', 'load'] as const).filter((name) => line.given.has(name));
  const checks = given.filter((name) => name !== 'baseline');
  return checks.length === 0 ? [...DEFAULT_GROUPS, ...given] : given;
}

/** The revisions of `--era`; undefined for all. */
async function selectRevisions(line: CommandLine): Promise<readonly string[] | undefined> {
  const given = line.value('era');
  if (given === undefined || given === 'all') return undefined;
  const { revisions } = await import('tenon/client');
  if ((revisions as readonly string[]).includes(given)) return [given];
  throw usage(`There is no revision '${given}'`, `Write --era all, or one of ${revisions.join(', ')}.`);
}

const FAILED: ReadonlySet<string> = new Set(['connect']);

/** `tenon check` */
export async function check(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen, interrupt } = context;
  if (namedTrace(line) !== undefined) return checkRecorded(line, context);
  const unfit = (['blame', 'session'] as const).find((name) => line.given.has(name));
  if (unfit !== undefined) throw usage(`--${unfit} is for a trace`, 'tenon check weather.mcptrace');
  const target = await resolveTarget(line, screen.warn);
  const groups = selectGroups(line);
  const revisions = await selectRevisions(line);
  const path = line.value('baseline');
  const baseline = path !== undefined && existsSync(path) ? readTextFile(path) : undefined;
  const { readSurface, runChecks, SurfaceError } = await import('@tenon/inspector');
  const alone = await inspectionOptions(target, line, screen);
  const run = await runChecks(
    target,
    {
      groups,
      baseline,
      revisions,
      ...alone,
    },
    interrupt,
  ).catch((error: unknown) => {
    if (error instanceof SurfaceError) throw usage(`${path}: ${error.message}`, error.fix, 'bad_baseline');
    throw explainFileError(error);
  });
  const { rows, surface } = run;
  const writeFailures: (Failure | undefined)[] = [];
  if (path !== undefined && baseline === undefined && surface !== undefined) {
    const failure = writeReport(path, surface);
    if (failure === undefined) screen.line(`Baseline written to ${path}`);
    writeFailures.push(failure);
  }
  writeFailures.push(await writeReports(line, target.name, rows, alone.file));
  const hint = (): string | undefined =>
    surface === undefined || !groups.includes('wire')
      ? undefined
      : noCallHint(readSurface(surface).tools, targetWords(line.target));
  screen.result({
    json: () => JSON.stringify({ rows }),
    text: () => [rowsText(rows), rowsSummary(rows), hint()].filter((part) => part !== undefined).join('\n'),
  });
  const broken = writeFailures.find((failure) => failure !== undefined);
  if (broken !== undefined) throw broken;
  const failed = rows.filter(({ status }) => status === 'fail');
  const [first] = failed;
  if (first === undefined) return;
  if (FAILED.has(first.id)) throw notConnected(run.problem);
  const finding = first.findings[0];
  const why = finding?.message ?? first.detail;
  const message = `${failed.length} of ${counted(rows.length, 'check')} failed: "${first.title}"${why === undefined ? '' : `: ${why}`}`;
  throw new Failure('check', 'check_failed', message, {
    blame: finding?.blame === 'server' ? 'server' : 'unknown',
    fix: finding?.fix,
  });
}
