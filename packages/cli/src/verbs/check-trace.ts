import type { CheckRow, SideVerdict } from '@tenon/inspector';
import type { Side } from '@tenon/inspector/trace';
import type { CommandLine } from '../command-line/command-line.ts';
import type { OptionName } from '../command-line/options.ts';
import { Failure, usage } from '../failure/failure.ts';
import { rowsSummary, rowsText } from '../inspector/rows.ts';
import { writeReports } from '../inspector/reports.ts';
import type { VerbContext } from '../session/session.ts';
import { explained, openNamedTrace } from '../session/trace-file.ts';

/** Options that require a server. */
const LIVE: readonly OptionName[] = [
  'lint',
  'era',
  'load',
  'baseline',
  'output',
  'revision',
  'timeout',
  'config',
  'header',
  'env',
  'cwd',
];

function parseSide(line: CommandLine): Side | undefined {
  const given = line.value('blame');
  if (given === undefined || given === 'server' || given === 'client') return given;
  throw usage(`--blame must be server or client, not '${given}'`);
}

/** The failure of a check of a trace; undefined if no rule was broken. */
function failureOf(rows: readonly CheckRow[], verdicts: readonly SideVerdict[]): Failure | undefined {
  const errors = rows.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first !== undefined) {
    const { blame, message, fix } = first;
    const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
    const sides = verdicts.filter(({ status }) => status === 'fail').map(({ side }) => `the ${side}`);
    const who = sides.length === 0 ? 'Rules were broken' : `${sides.join(' and ')} broke rules`;
    return new Failure('check', 'check_failed', `${who[0]!.toUpperCase()}${who.slice(1)}: ${message}${more}`, {
      blame,
      fix,
    });
  }
  if (verdicts.some(({ status }) => status !== 'skip')) return undefined;
  return new Failure(
    'check',
    'nothing_checked',
    'Nothing could be checked: the trace contains no message of this side',
    {
      blame: 'you',
      fix: 'Record it again, and let the client and the server talk.',
    },
  );
}

/** `tenon check <trace>`: reports which side broke which rule in the recording. Starts no program. */
export async function checkRecorded(line: CommandLine, { screen }: VerbContext): Promise<void> {
  const unfit = LIVE.find((name) => line.given.has(name));
  if (unfit !== undefined)
    throw usage(`--${unfit} needs a server, and ${line.words[1]} is a trace`, 'Of a trace the messages are checked.');
  const name = line.words[1]!;
  const side = parseSide(line);
  const { checkTrace } = await import('@tenon/inspector');
  const trace = await openNamedTrace(line);
  try {
    const { rows, verdicts } = await checkTrace(trace, { session: line.value('session'), side }).catch(
      (error: unknown) => {
        throw explained(error);
      },
    );
    const unwritten = await writeReports(line, name, rows, name);
    screen.result({
      json: () => JSON.stringify({ rows, verdicts }),
      text: () => `${rowsText(rows)}\n${rowsSummary(rows)}`,
    });
    const failure = unwritten ?? failureOf(rows, verdicts);
    if (failure !== undefined) throw failure;
  } finally {
    await trace.close();
  }
}
