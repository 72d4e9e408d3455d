import type { ReplayRow, ReplayTarget } from '@tenon/inspector/trace';
import { type CommandLine, parseNumberOption } from '../command-line/command-line.ts';
import { explain } from '../session/explain.ts';
import { Failure, usage } from '../failure/failure.ts';
import { createObserver } from '../session/observer.ts';
import { oneLine } from '../terminal/printable.ts';
import { targetOf } from '../command-line/server-command.ts';
import type { VerbContext } from '../session/session.ts';
import { explained, traceCreationFailure, openNamedTrace, traceWriteFailure } from '../session/trace-file.ts';
import { version } from '../version.ts';

const MARKS: Readonly<Record<ReplayRow['status'], string>> = {
  same: '✔ same     ',
  different: '✘ different',
  missing: '✘ missing  ',
  extra: '✘ extra    ',
  skipped: '- skipped  ',
};
const MAX_LENGTH = 300;

function rowLines({ status, n, method, subject, ms, recordedMs, reason, differences }: ReplayRow): string[] {
  const what = oneLine(subject === undefined ? method : `${method} ${subject}`, 80);
  const times =
    ms === undefined ? '' : `  ${ms.toFixed(1)} ms${recordedMs === undefined ? '' : `, ${recordedMs.toFixed(1)} then`}`;
  return [
    `${MARKS[status]}  ${n === undefined ? '' : `#${n} `}${what}${times}${reason === undefined ? '' : `  ${oneLine(reason, MAX_LENGTH)}`}`,
    ...differences.flatMap(({ path, recorded, now }) => [
      `      ${oneLine(path === '' ? 'the response' : path, 120)}`,
      `        recorded  ${oneLine(recorded, MAX_LENGTH)}`,
      `        now       ${oneLine(now, MAX_LENGTH)}`,
    ]),
  ];
}

const WRONG: ReadonlySet<ReplayRow['status']> = new Set(['different', 'missing', 'extra']);

function parseSpeed(line: CommandLine): number | undefined {
  const text = line.value('speed');
  if (text === undefined) return undefined;
  const speed = Number(text);
  if (!(speed > 0 && speed <= 1_000_000)) throw usage(`--speed must be a number above 0, not '${text}'`);
  return speed;
}

async function targetFor(line: CommandLine, { screen }: VerbContext): Promise<ReplayTarget> {
  const target = targetOf(line);
  if (!('url' in target)) return target;
  const own = Object.keys(target.headers).some((name) => name.toLowerCase() === 'authorization');
  if (own) return target;
  const { credentialsFor } = await import('../session/credentials.ts');
  return { ...target, auth: await credentialsFor(line, screen, line.given.has('auth'), target.login) };
}

/** `tenon replay <trace> <server>`: sends the recorded requests to the server, and compares the responses. */
export async function replay(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen, interrupt } = context;
  if (line.words.length < 2) throw usage('Which trace?', 'tenon replay weather.mcptrace -- node server.js');
  const target = await targetFor(line, context);
  const [speed, timeoutMs, session, output] = [
    parseSpeed(line),
    parseNumberOption(line, 'timeout'),
    line.value('session'),
    line.value('output'),
  ];
  const trace = await openNamedTrace(line);
  const { createNewTrace, replayTrace } = await import('@tenon/inspector/trace');
  let sink: ReturnType<typeof createNewTrace> | undefined;
  if (output !== undefined)
    try {
      sink = createNewTrace(output, 'replay', `tenon ${version()}`, {
        onFailure: (error) => screen.reportLater(traceWriteFailure(output, error)),
      });
    } catch (error) {
      throw traceCreationFailure(error);
    }
  try {
    const rows = await replayTrace(trace, target, {
      signal: interrupt,
      speed,
      timeoutMs,
      session,
      sink,
    }).catch((error: unknown) => {
      throw explain(explained(error), createObserver());
    });
    const wrong = rows.filter(({ status }) => WRONG.has(status));
    const compared = rows.filter(({ status }) => status !== 'skipped').length;
    const left = rows.length - compared;
    const summary = `${compared - wrong.length} of ${compared} are unchanged${left === 0 ? '' : `, ${left} not compared`}`;
    screen.result({
      json: () => JSON.stringify({ rows, wrong: wrong.length, trace: sink?.file }),
      text: () => [...rows.flatMap(rowLines), '', summary].join('\n'),
    });
    if (wrong.length > 0)
      throw new Failure('check', 'replay_differs', `${wrong.length} of ${compared} have changed`, {
        blame: 'unknown',
      });
    if (compared === 0)
      throw new Failure('check', 'nothing_compared', 'Nothing could be compared: the trace contains no responses', {
        blame: 'you',
        fix: 'Record it again, and let the client wait for the responses.',
      });
  } finally {
    sink?.close();
    await trace.close();
  }
}
