import { existsSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CheckRow } from '@tenon/inspector';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { notConnected } from '../inspector/not-connected.ts';
import { rowsSummary, rowsText } from '../inspector/rows.ts';
import { inspectionOptions } from '../inspector/inspection-options.ts';
import { explainFileError, readTextFile, writeReport } from '../failure/file-failures.ts';
import { resolveTarget } from '../inspector/targets.ts';
import type { VerbContext } from '../session/session.ts';
import { version } from '../version.ts';

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

/** The file as a URI for SARIF: relative to the current folder, or absolute. */
function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split(sep).map(encodeURIComponent).join('/');
}

const FAILED: ReadonlySet<string> = new Set(['connect']);

/** `tenon check` */
export async function check(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen, interrupt } = context;
  const target = await resolveTarget(line);
  const revisions = await selectRevisions(line);
  const path = line.value('baseline');
  const baseline = path !== undefined && existsSync(path) ? readTextFile(path) : undefined;
  const { junitReport, runChecks, sarifReport, SurfaceError } = await import('@tenon/inspector');
  const alone = await inspectionOptions(target, line, screen);
  const run = await runChecks(
    target,
    {
      groups: selectGroups(line),
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
  const junit = line.value('junit');
  if (junit !== undefined) writeFailures.push(writeReport(junit, junitReport(target.name, rows)));
  const sarif = line.value('sarif');
  if (sarif !== undefined) {
    const { file } = alone;
    const source = { server: target.name, version: version(), trace: file === undefined ? undefined : uriOf(file) };
    writeFailures.push(writeReport(sarif, sarifReport(source, rows)));
  }
  screen.result({ json: () => JSON.stringify({ rows }), text: () => `${rowsText(rows)}\n${rowsSummary(rows)}` });
  const broken = writeFailures.find((failure) => failure !== undefined);
  if (broken !== undefined) throw broken;
  const failed = rows.filter(({ status }) => status === 'fail');
  const [first] = failed;
  if (first === undefined) return;
  if (FAILED.has(first.id)) throw notConnected(run.problem);
  const finding = first.findings[0];
  const why = finding?.message ?? first.detail;
  const message = `${failed.length} of ${rows.length} checks failed: "${first.title}"${why === undefined ? '' : `: ${why}`}`;
  throw new Failure('check', 'check_failed', message, {
    blame: finding?.blame === 'server' ? 'server' : 'unknown',
    fix: finding?.fix,
  });
}
