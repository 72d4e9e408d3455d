import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { endSurvivors, signalTree, windowsProgram } from 'tenon/internal';
import type { ErrorCode } from '../values/error-codes.ts';
import type { Side } from '../trace/line.ts';
import type { TraceSink } from '../trace/node/trace-writer.ts';
import { guardGroup } from './guard.ts';
import { createRedactor } from './redact.ts';
import { hideEnvironment, shownCommand } from './shown-command.ts';
import { createTapLog, type TapLog } from './tap-log.ts';

/** The server to start, and the streams of the client. */
export interface StdioTapOptions {
  /** The program of the server: a name in `PATH`, or a path. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which it runs. Default: the folder of this process. */
  readonly cwd?: string;
  /** The name of the server in the trace. */
  readonly name: string;
  /** Receives the lines. */
  readonly sink: TraceSink;
  /** The output of the client. */
  readonly stdin: Readable;
  /** The input of the client. Ended with the server. */
  readonly stdout: Writable;
  /** Receives the stderr of the server. Stays open. */
  readonly stderr: Writable;
  /** Values that must never be written, besides those recognized by their names. */
  readonly secrets?: readonly string[];
  /** Called if recording fails. The traffic still passes. */
  readonly onFailure?: (error: unknown) => void;
}

/** How the server ended. */
export interface TapEnd {
  /** Its exit code; null if a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it; null if it exited. */
  readonly signal: NodeJS.Signals | null;
}

/** A tap between a client and a server. */
export interface StdioTap {
  /** Resolves when the server has ended, everything it wrote has been passed on, and nothing it started is left. Never rejects. */
  readonly ended: Promise<TapEnd>;
  /** Passes a signal on to the server. */
  signal(signal: NodeJS.Signals): void;
}

/** The server could not be started. */
export class TapError extends Error {
  /** Always `TapError`. */
  override readonly name = 'TapError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'TapError'>;
  /** The error code of the system, such as `ENOENT`; undefined if it gave none. */
  readonly systemCode: string | undefined;

  constructor(code: ErrorCode<'TapError'>, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
    this.systemCode = (cause as NodeJS.ErrnoException).code;
  }
}

/** The time between SIGTERM and SIGKILL for processes that the server left running, in milliseconds. */
const REAP_MS = 2_000;
/** After the server exits, its children may hold its pipes open. They count as ended after this time without output. */
const QUIET_MS = 100;
const CLOSE_MS = 1_000;
/** After this many interrupts the recording ends, whatever the server does. */
const MAX_INTERRUPTS = 3;

function launch({ command, args, env, cwd }: StdioTapOptions): ChildProcess {
  const windows = process.platform === 'win32';
  const program = windows ? windowsProgram(command, args, env, { cwd }) : { file: command, args, verbatim: false };
  return spawn(program.file, program.args, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
    // In a group of its own, so that all its processes can be ended.
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: program.verbatim,
  });
}

/**
 * Forwards data immediately and unchanged, then passes it to `show`. When one end is closed the other is closed too, so that
 * neither side waits for a peer that is gone. `held`: the receiver is not reading.
 */
function pump(from: Readable, to: Writable, show: (chunk: Buffer) => void, over: () => void) {
  let held = false;
  let received = 0;
  let done!: () => void;
  const ended = new Promise<void>((resolve) => (done = resolve));
  from.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (!to.destroyed && !to.write(chunk)) {
      held = true;
      from.pause();
    }
    show(chunk);
  });
  to.on('drain', () => {
    held = false;
    from.resume();
  });
  from.on('error', () => from.destroy());
  let finished = false;
  const finish = (): void => {
    if (finished) return;
    finished = true;
    over();
    to.end();
    done();
  };
  // A stdin that is a file or /dev/null emits `end` but not `close`; a broken one emits `close` but not `end`.
  for (const event of ['end', 'close']) from.once(event, finish);
  // The writer gets the same broken pipe as without the tap.
  for (const event of ['error', 'close']) to.on(event, () => from.destroy());
  return { ended, received: () => received, held: () => held };
}

/** Resolves when the stream has ended, or was quiet for a while although it was being read. */
async function endedOrQuiet({ ended, received, held }: ReturnType<typeof pump>): Promise<void> {
  let over = false;
  void ended.then(() => (over = true));
  for (;;) {
    const before = received();
    await Promise.race([ended, sleep(QUIET_MS)]);
    if (over || (!held() && received() === before)) return;
  }
}

/** Resolves when the stream has nothing left to write: all of it was read, or its reader is gone. */
function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableFinished || stream.writableLength === 0) return resolve();
    for (const event of ['finish', 'close', 'error', 'drain']) stream.once(event, () => resolve());
  });
}

function started(child: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      const [code, reason] = reasonOf(error);
      reject(new TapError(code, `'${command}' could not be started: ${reason}`, error));
    });
    child.once('spawn', () => resolve(child.pid!));
  });
}

/** Why a program could not be started, as the code and the message of a `TapError`. */
function reasonOf(error: NodeJS.ErrnoException): readonly [ErrorCode<'TapError'>, string] {
  if (error.code === 'ENOENT') return ['no-such-program', 'there is no such program, or no such folder (ENOENT)'];
  return error.code === 'EACCES'
    ? ['not-executable', 'it is not executable (EACCES)']
    : ['spawn-failed', error.message];
}

/**
 * Starts a server as a tap between it and the client: forwards stdin, stdout, stderr, signals and the exit unchanged, and records
 * all of it. Recording never delays or changes the traffic, not even if it fails.
 *
 * Rejects with a `TapError` if the server cannot be started.
 *
 * @example
 * ```ts
 * import { createNewTrace, tapStdio } from '@tenon/inspector/trace';
 *
 * const { stdin, stdout, stderr, env } = process;
 * const sink = createNewTrace(undefined, 'weather', 'my tool 1.0');
 * const tap = await tapStdio({ command: 'node', args: ['server.js'], env, name: 'weather', sink, stdin, stdout, stderr });
 * const { code } = await tap.ended;
 * sink.close();
 * ```
 */
export async function tapStdio(options: StdioTapOptions): Promise<StdioTap> {
  const { command, args, env, stdin, stdout, stderr } = options;
  const redactor = createRedactor();
  for (const secret of options.secrets ?? []) redactor.hide(secret);
  hideEnvironment(env, redactor);
  const shown = shownCommand(command, args, redactor);
  const log = createTapLog({ ...options, redactor, target: shown });
  let child: ChildProcess;
  let pid: number;
  try {
    child = launch(options);
    pid = await started(child, command);
  } catch (error) {
    const failure =
      error instanceof TapError ? error : new TapError('spawn-failed', `'${command}' could not be started`, error);
    log.note(failure.message);
    throw failure;
  }
  log.open(shown);
  const letGo = guardGroup(pid);
  const ended = follow(child, pid, log, { stdin, stdout, stderr }).finally(letGo);
  let interrupts = 0;
  return {
    ended,
    signal(signal) {
      if (signal === 'SIGINT' && ++interrupts >= MAX_INTERRUPTS) {
        log.note('SIGINT came again and again: the server is killed');
        signalTree(pid, 'SIGKILL');
      } else passOn(signal, child, pid, log, stdout);
    },
  };
}

/** Forwards all streams until the server has ended. */
async function follow(
  child: ChildProcess,
  pid: number,
  log: TapLog,
  { stdin, stdout, stderr }: Pick<StdioTapOptions, 'stdin' | 'stdout' | 'stderr'>,
): Promise<TapEnd> {
  const died = new Promise<TapEnd>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const side = (from: Side) => [(chunk: Buffer) => log.push(from, chunk), () => log.end(from)] as const;
  pump(stdin, child.stdin!, ...side('client'));
  const out = pump(child.stdout!, stdout, ...side('server'));
  // Our own stderr stays open, because this program may still write to it.
  const errors = pump(child.stderr!, keptOpen(stderr), log.stderr, () => {});

  const exit = await died;
  await Promise.all([endedOrQuiet(out), endedOrQuiet(errors)]);
  await endSurvivors(pid, { ms: REAP_MS, told: false });
  await Promise.race([Promise.all([out.ended, errors.ended]), sleep(CLOSE_MS)]);
  log.close(exit);
  stdout.end();
  await Promise.all([written(stdout), written(stderr)]);
  return exit;
}

/** The stream, with an `end` that does nothing. */
function keptOpen(stream: Writable): Writable {
  return new Proxy(stream, {
    get: (target, name) => {
      if (name === 'end') return () => target;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Signals that a terminal sends to all processes of a group; the server is in a group of its own. */
const FOR_GROUPS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGHUP', 'SIGQUIT']);

function passOn(signal: NodeJS.Signals, child: ChildProcess, pid: number, log: TapLog, stdout: Writable): void {
  // The server has ended, so the signal is for us: the client does not want to read the rest.
  if (child.exitCode !== null || child.signalCode !== null) return void stdout.destroy();
  log.note(`${signal} was passed on to the server`);
  try {
    if (process.platform === 'win32') signalTree(pid, 'SIGTERM');
    else if (FOR_GROUPS.has(signal)) process.kill(-pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended meanwhile.
  }
}
