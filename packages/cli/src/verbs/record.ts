import process from 'node:process';
import type { TraceWriter } from '@tenon/inspector/trace';
import type { CommandLine } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { closableStdout } from '../own-streams.ts';
import { commandOf } from '../server-command.ts';
import type { World } from '../session.ts';
import { notWritten, unwrittenTrace } from '../trace-file.ts';
import { version } from '../version.ts';

/** What a client may send us to tell the server something. SIGUSR1 is Node's own. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32'
    ? ['SIGINT', 'SIGTERM', 'SIGBREAK']
    : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/** Ends this process as the server ended. */
const endAs = async ({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }): Promise<never> => {
  if (signal === null) process.exit(code ?? 1);
  for (const known of SIGNALS) process.removeAllListeners(known);
  process.kill(process.pid, signal);
  // A signal that does not end a process by itself would leave us here.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  process.exit(1);
};

/** `tenon record -- <command>`: is the server for whoever starts it, and writes down what passes. */
export const record = async (line: CommandLine, { screen, stdout }: World): Promise<void> => {
  const [, unwanted] = line.words;
  if (unwanted !== undefined) throw usage(`What is '${unwanted}'?`, 'tenon record -o weather.mcptrace -- <command>');
  if (/^https?:\/\//i.test(line.target?.[0] ?? ''))
    throw usage('record is for commands', `For a server at a URL: tenon proxy ${line.target![0]}`);
  const { command, args = [], cwd, env } = commandOf(line);
  const { createNewTrace, nameOfCommand, tapStdio } = await import('@tenon/inspector/trace');
  const name = nameOfCommand(command, args);
  const failed = (error: unknown): void => {
    const cause = error instanceof Error ? error : new Error(String(error));
    screen.line(`tenon: recording stopped, the server goes on: ${cause.message}`);
    screen.unwritten(unwrittenTrace(trace.file, cause));
  };
  let trace: TraceWriter;
  try {
    trace = createNewTrace(line.value('output'), name, `tenon ${version()}`, { flushMs: 0, onFailure: failed });
  } catch (error) {
    throw notWritten(error);
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
    ...(cwd === undefined ? {} : { cwd }),
    name,
    sink: trace,
    stdin: process.stdin,
    stdout: closableStdout(),
    stderr: process.stderr,
    onFailure: failed,
  }).catch((error: Error & { code?: string }) => {
    throw new Failure('unreachable', 'not_started', error.message, {
      blame: 'you',
      ...(error.code === undefined ? {} : { evidence: error.code }),
      fix: 'Look at what stands after --: the program, then its arguments.',
    });
  });
  pass = tap.signal;
  early.forEach(pass);
  const end = await tap.ended;
  trace.close();
  const lost = await stdout.written();
  if (lost !== undefined) screen.unwritten(lost);
  // A server that ended well was not recorded well.
  if (end.code === 0 && screen.lost.length > 0) return;
  return endAs(end);
};
