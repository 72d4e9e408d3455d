import process from 'node:process';
import type { TraceWriter } from '@tenon/inspector/trace';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { closableStdout } from '../terminal/own-streams.ts';
import { commandOf } from '../command-line/server-command.ts';
import type { VerbContext } from '../session/session.ts';
import { traceCreationFailure, traceWriteFailure } from '../session/trace-file.ts';
import { version } from '../version.ts';

/** Signals from the client that are passed on to the server. SIGUSR1 is reserved by Node. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32'
    ? ['SIGINT', 'SIGTERM', 'SIGBREAK']
    : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/** Ends this process the way the server ended. */
async function endAs({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }): Promise<never> {
  if (signal === null) process.exit(code ?? 1);
  for (const known of SIGNALS) process.removeAllListeners(known);
  process.kill(process.pid, signal);
  // Signals that do not end a process by default would leave this one running.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  process.exit(1);
}

/** `tenon record -- <command>`: runs the server for the client that starts this, and records the traffic. */
export async function record(line: CommandLine, { screen, stdout }: VerbContext): Promise<void> {
  const [, unwanted] = line.words;
  if (unwanted !== undefined)
    throw usage(`Unexpected argument '${unwanted}'`, 'tenon record -o weather.mcptrace -- <command>');
  if (/^https?:\/\//i.test(line.target?.[0] ?? ''))
    throw usage('record is for commands', `For a server at a URL: tenon proxy ${line.target![0]}`);
  const { command, args = [], cwd, env } = commandOf(line);
  const { createNewTrace, nameOfCommand, tapStdio } = await import('@tenon/inspector/trace');
  const name = nameOfCommand(command, args);
  const failed = (error: unknown): void => {
    const cause = error instanceof Error ? error : new Error(String(error));
    screen.line(`tenon: recording stopped, the server goes on: ${cause.message}`);
    screen.reportLater(traceWriteFailure(trace.file, cause));
  };
  let trace: TraceWriter;
  try {
    trace = createNewTrace(line.value('output'), name, `tenon ${version()}`, { flushMs: 0, onFailure: failed });
  } catch (error) {
    throw traceCreationFailure(error);
  }
  if (!line.given.has('quiet')) screen.line(`tenon: recording to ${trace.file}`);

  const early: NodeJS.Signals[] = [];
  let pass = (signal: NodeJS.Signals): void => void early.push(signal);
  for (const signal of SIGNALS) process.on(signal, () => pass(signal));
  process.once('exit', () => trace.close());
  const tap = await tapStdio({
    command,
    args,
    env: { ...process.env, ...env },
    cwd,
    name,
    sink: trace,
    stdin: process.stdin,
    stdout: closableStdout(),
    stderr: process.stderr,
    onFailure: failed,
  }).catch((error: Error & { systemCode?: string }) => {
    throw new Failure('unreachable', 'not_started', error.message, {
      blame: 'you',
      evidence: error.systemCode,
      fix: 'Check the command after --: the program, then its arguments.',
    });
  });
  pass = tap.signal;
  early.forEach(pass);
  const end = await tap.ended;
  trace.close();
  const lost = await stdout.written();
  if (lost !== undefined) screen.reportLater(lost);
  // The server succeeded, but its recording is incomplete: end with the failure of the recording.
  if (end.code === 0 && screen.lost.length > 0) return;
  return endAs(end);
}
