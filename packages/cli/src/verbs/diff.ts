import { existsSync } from 'node:fs';
import type { Change, Target } from '@tenon/inspector';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { inspectionOptions } from '../inspector/inspection-options.ts';
import { readTextFile } from '../failure/file-failures.ts';
import { notConnected } from '../inspector/not-connected.ts';
import { configured, readTargets, resolveTargets, withIds } from '../inspector/targets.ts';
import { oneLine } from '../terminal/printable.ts';
import { parseRevision, type VerbContext } from '../session/session.ts';

const LEVELS = ['breaking', 'risky', 'compatible'] as const;
const FAILS_ON: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['breaking', new Set(['breaking'])],
  ['risky', new Set(['breaking', 'risky'])],
  ['any', new Set(LEVELS)],
]);

/** One side of the comparison: the baseline in a file, or the current surface of a server. */
async function surfaceOf(word: string, line: CommandLine, context: VerbContext): Promise<string> {
  if (existsSync(word)) return readTextFile(word);
  const named = await configured(line, word);
  if (named === undefined && (line.given.has('config') || /\.json$/i.test(word)))
    throw usage(
      `There is neither a file nor a server called ${oneLine(word, 200)}`,
      'tenon check --baseline before.json -- node server.js writes such a file.',
    );
  const revision = await parseRevision(line);
  const targets = named === undefined ? await readTargets(word, context.screen.warn) : [named];
  return ask(
    withIds(targets.map((target) => (revision === undefined ? target : { ...target, revision }))),
    line,
    context,
  );
}

async function ask(targets: readonly Target[], line: CommandLine, context: VerbContext): Promise<string> {
  const [target, more] = targets;
  if (target === undefined) throw usage('Which two are to be compared?', 'tenon diff before.json -- node server.js');
  if (more !== undefined) throw usage('Only two servers can be compared at a time');
  const { runChecks } = await import('@tenon/inspector');
  const options = { groups: [], ...(await inspectionOptions(target, line, context.screen)) };
  const { surface, rows, problem } = await runChecks(target, options, context.interrupt);
  if (surface !== undefined) return surface;
  const message = problem?.message ?? rows[0]?.findings[0]?.message;
  throw notConnected({ ...problem, message }, target.name);
}

const MARKS: Readonly<Record<Change['level'], string>> = { breaking: '✘', risky: '!', compatible: '·' };

function textOf(changes: readonly Change[]): string {
  return changes.length === 0
    ? 'Nothing has changed.'
    : LEVELS.flatMap((level) => changes.filter((change) => change.level === level))
        .map(
          ({ level, path, message }) =>
            `${MARKS[level]} ${level.padEnd(10)}  ${oneLine(path, 120)}: ${oneLine(message, 300)}`,
        )
        .join('\n');
}

/** `tenon diff` */
export async function diff(line: CommandLine, context: VerbContext): Promise<void> {
  const failOn = line.value('fail-on');
  const fails = failOn === undefined ? new Set<string>() : FAILS_ON.get(failOn);
  if (fails === undefined) throw usage(`--fail-on can be ${[...FAILS_ON.keys()].join(', ')}, not '${failOn}'`);
  const [, first, second, more] = line.words;
  const both = line.target === undefined ? second : undefined;
  if (
    first === undefined ||
    (both === undefined && line.target === undefined) ||
    more !== undefined ||
    (line.target !== undefined && second !== undefined)
  )
    throw usage('Which two are to be compared?', 'tenon diff before.json -- node server.js');
  const { compareSurfaces, readSurface, SurfaceError } = await import('@tenon/inspector');
  const read = (text: string, name: string) => {
    try {
      return readSurface(text);
    } catch (error) {
      if (error instanceof SurfaceError) throw usage(`${name}: ${error.message}`, error.fix, 'bad_baseline');
      throw error;
    }
  };
  const before = read(await surfaceOf(first, line, context), first);
  const after =
    both === undefined
      ? read(
          await ask(await resolveTargets({ ...line, words: ['diff'] }, context.screen.warn), line, context),
          'the server',
        )
      : read(await surfaceOf(both, line, context), both);
  const changes = compareSurfaces(before, after);
  context.screen.result({ json: () => JSON.stringify({ changes }), text: () => textOf(changes) });
  const found = changes.filter(({ level }) => fails.has(level));
  if (found.length > 0)
    throw new Failure(
      'check',
      'changed',
      `${found.length} ${found.length === 1 ? 'change' : 'changes'}: ${found[0]!.message}`,
      {
        blame: 'server',
      },
    );
}
