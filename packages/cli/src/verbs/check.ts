import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { CheckRow } from '@tenon/inspector';
import type { CommandLine } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { rowsSummary, rowsText } from '../inspector/rows.ts';
import { targetGiven } from '../inspector/targets.ts';
import { revisionGiven, type World } from '../session.ts';
import { version } from '../version.ts';

/** Without any of these, a server is checked for all that needs no file. */
const DEFAULT: readonly CheckRow['group'][] = ['lint', 'wire', 'era'];

const groupsGiven = (line: CommandLine): readonly CheckRow['group'][] => {
  const given = (['lint', 'wire', 'era', 'baseline', 'load'] as const).filter((name) => line.given.has(name));
  const checks = given.filter((name) => name !== 'baseline');
  return checks.length === 0 ? [...DEFAULT, ...given] : given;
};

/** Which revisions the option asks for; undefined: all. */
const erasGiven = async (line: CommandLine): Promise<readonly string[] | undefined> => {
  const given = line.value('era');
  if (given === undefined || given === 'all') return undefined;
  const { revisions } = await import('tenon/client');
  if ((revisions as readonly string[]).includes(given)) return [given];
  throw usage(`There is no revision '${given}'`, `Write --era all, or one of ${revisions.join(', ')}.`);
};

const FAILED: ReadonlySet<string> = new Set(['connect']);

/** `tenon check` */
export const check = async (line: CommandLine, world: World): Promise<void> => {
  const { screen, interrupt } = world;
  const target = await targetGiven(line);
  await revisionGiven(line);
  const revisions = await erasGiven(line);
  const file = line.value('output');
  const path = line.value('baseline');
  const baseline = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const { junitReport, runChecks, sarifReport, SurfaceError } = await import('@tenon/inspector');
  const by = `tenon ${version()}`;
  const run = await runChecks(
    target,
    {
      groups: groupsGiven(line),
      by,
      ...(baseline === undefined ? {} : { baseline }),
      ...(revisions === undefined ? {} : { revisions }),
      ...(file === undefined ? {} : { file }),
    },
    interrupt,
  ).catch((error: unknown) => {
    if (error instanceof SurfaceError) throw usage(`${path}: ${error.message}`, error.fix, 'bad_baseline');
    throw error;
  });
  const { rows, surface } = run;
  if (path !== undefined && baseline === undefined && surface !== undefined) {
    writeFileSync(path, surface);
    screen.line(`This is the baseline from now on: ${path}`);
  }
  const junit = line.value('junit');
  if (junit !== undefined) writeFileSync(junit, junitReport(target.name, rows));
  const sarif = line.value('sarif');
  if (sarif !== undefined)
    writeFileSync(
      sarif,
      sarifReport({ server: target.name, version: version(), ...(file === undefined ? {} : { trace: file }) }, rows),
    );
  screen.result({ json: () => JSON.stringify({ rows }), text: () => `${rowsText(rows)}\n${rowsSummary(rows)}` });
  const failed = rows.filter(({ status }) => status === 'fail');
  const [first] = failed;
  if (first === undefined) return;
  const lost = FAILED.has(first.id);
  const finding = first.findings[0];
  throw new Failure(
    lost ? 'unreachable' : 'check',
    lost ? 'not_connected' : 'check_failed',
    lost ? (finding?.message ?? first.title) : `${failed.length} of ${rows.length} checks failed: ${first.title}`,
    {
      blame: finding?.blame === 'server' ? 'server' : 'unknown',
      ...(finding?.fix === undefined ? {} : { fix: finding.fix }),
    },
  );
};
