import type { ChildProcess } from 'node:child_process';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import type { Channel } from '../../protocol/channel.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { withLimits } from '../../protocol/limits.ts';
import type { Limits } from '../../protocol/limits.ts';
import { assertOneLine } from '../../wire/lines.ts';
import { childEnvironment } from './environment.ts';
import { Inbox } from '../inbox.ts';
import { LineWriter } from './line-writer.ts';
import { OutputReader } from './output-reader.ts';
import { endSurvivors, onParentEnd, signalTree } from './process-tree.ts';
import { ProcessExitError, SpawnError } from './spawn-errors.ts';
import type { ProcessExit } from './spawn-errors.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import { maxUnsent } from './stream-channel.ts';
import { createTail } from './tail.ts';
import { windowsProgram } from './windows.ts';
import { quiet, within } from '../promises.ts';

/** A server to start as a child process. */
export interface Command {
  /** A program on `PATH`, or a path. It is not interpreted by a shell. */
  readonly command: string;
  /** The arguments. Default: none. */
  readonly args?: readonly string[];
  /** Added to the environment, which otherwise contains only a short allow-list (`PATH`, `HOME`, …). */
  readonly env?: Readonly<Record<string, string>>;
  /** More environment variables of this process to pass on, by name. */
  readonly inheritEnv?: readonly string[];
  /** The folder to start it in. Default: that of this process. */
  readonly cwd?: string;
  /**
   * `capture` (the default) keeps the last 64 KiB for error messages. A function also receives every piece of text. `inherit` lets the
   * server write to the stderr of this process. Output on stderr does not mean an error.
   */
  readonly stderr?: 'capture' | 'inherit' | ((text: string) => void);
  /** Called for each process that is started, for programs that track the process groups. */
  readonly onStart?: (process: { readonly pid: number; readonly exited: Promise<unknown> }) => void;
  /** How long the server may take to exit after `close` has ended its stdin, before SIGTERM, in milliseconds. Default 2000. */
  readonly graceMs?: number;
  /** How long after `close` it is killed, in milliseconds. Default 5000, at least `graceMs`. */
  readonly killMs?: number;
}

/** A channel to a child process. */
export interface SpawnedChannel extends Channel {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined;
  /** Resolves when the process has ended, or could not be started. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** The last 64 KiB of its stderr. */
  stderrTail(): string;
  /**
   * Ends the process and everything in its process group, in steps: stdin closes, SIGTERM, SIGKILL. Resolves when it is gone. A child
   * that has left the group (`setsid`) is not reached.
   */
  close(): Promise<void>;
}

const MAX_STDERR_BYTES = 65_536;
const GRACE_MS = 2_000;
const KILL_MS = 5_000;
/**
 * After a process has ended, its pipes may be held open by another process that it started. They count as ended when nothing arrives for
 * this time, in milliseconds.
 */
const QUIET_MS = 100;
/** How long a process that closed one of its pipes may take to exit, in milliseconds. */
const EXIT_MS = 1_000;

function launch(command: Command): ChildProcess {
  const { command: file, args = [], cwd, stderr } = command;
  const env = childEnvironment(command.env, command.inheritEnv);
  const windows = process.platform === 'win32';
  const program = windows ? windowsProgram(file, args, env, { cwd }) : { file, args, verbatim: false };
  return process.getBuiltinModule('node:child_process').spawn(program.file, program.args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', stderr === 'inherit' ? 'inherit' : 'pipe'],
    shell: false,
    // A process group of its own, so that `close` reaches the processes that npx or a shell script has started.
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: program.verbatim,
  });
}

/** Why a program could not be started, as the code of a `SpawnError` and in words. */
function reasonOf(command: Command, error: unknown): readonly [ErrorCode<'SpawnError'>, string] {
  const { code, message } = error as NodeJS.ErrnoException;
  const { existsSync } = process.getBuiltinModule('node:fs');
  if (command.cwd !== undefined && !existsSync(command.cwd))
    return ['no-such-folder', `the folder '${command.cwd}' does not exist`];
  if (code === 'ENOENT') return ['no-such-program', 'there is no such program (ENOENT). Is it installed, and on PATH?'];
  if (code === 'EACCES') return ['not-executable', 'it is not executable (EACCES)'];
  return ['spawn-failed', message];
}

/** The channel for a process that could not be started. */
function failedChannel(command: Command, cause: Promise<unknown>): SpawnedChannel {
  const inbox = new Inbox<string>();
  const failed = quiet(
    cause.then((error): never => {
      const [code, reason] = reasonOf(command, error);
      throw new SpawnError(code, command.command, reason, error);
    }),
  );
  failed.catch((error: Error) => inbox.end(error));
  return {
    pid: undefined,
    send: () => failed,
    incoming: inbox.items,
    exited: cause.then(() => ({ code: null, signal: null, stderr: '' })),
    stderrTail: () => '',
    async close() {
      await failed.catch(() => {});
      inbox.discard();
    },
  };
}

/** Reads stderr to its end, even if it is not used: a full pipe would block the server. */
function captureStderr(stream: Readable | null, listener: Command['stderr']) {
  const tail = createTail(MAX_STDERR_BYTES);
  const decoder = new StringDecoder('utf8');
  let received = 0;
  stream?.on('error', () => {});
  stream?.on('data', (chunk: Buffer) => {
    received += chunk.length;
    tail.push(chunk);
    const text = typeof listener === 'function' ? decoder.write(chunk) : '';
    if (text !== '') (listener as (text: string) => void)(text);
  });
  return {
    text: tail.text,
    received: () => received,
    ended: new Promise<void>((resolve) => (stream === null ? resolve() : stream.once('close', resolve))),
  };
}

/** Resolves when a pipe of an exited process has ended, or nothing arrived for a while although it was being read. */
async function endedOrQuiet(ended: Promise<void>, received: () => number, held = () => false): Promise<void> {
  for (;;) {
    const before = received();
    if (await within(QUIET_MS, ended, false)) return;
    // If this process had to wait for the CPU, its timer may expire before it has read the data that has arrived.
    await turn();
    if (!held() && received() === before) return;
  }
}

/** The end of a child process: on its own, or in steps. */
class ChildEnd {
  /** Resolves with the exit of the process, whose last output may still be unread. */
  readonly died: Promise<Omit<ProcessExit, 'stderr'>>;
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #graceMs: number;
  readonly #killMs: number;
  readonly #treeGone: Promise<void>;
  #killAt: number | undefined;
  #signalled = false;
  #stopped: Promise<void> | undefined;

  constructor(child: ChildProcess, pid: number, { graceMs = GRACE_MS, killMs = KILL_MS }: Command) {
    this.#child = child;
    this.#pid = pid;
    this.#graceMs = graceMs;
    this.#killMs = Math.max(graceMs, killMs);
    const forget = onParentEnd(() => signalTree(pid, 'SIGTERM'));
    this.died = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.#treeGone = this.died
      .then(() => endSurvivors(pid, { ms: this.#msToKill(), told: this.#signalled }))
      .then(forget);
  }

  /** Writes the last messages, closes stdin, and ends the process and its process group. Resolves when they are gone. */
  stop(writer: LineWriter): Promise<void> {
    return (this.#stopped ??= this.#stop(writer));
  }

  async #stop(writer: LineWriter): Promise<void> {
    this.#killAt = performance.now() + this.#killMs;
    void writer.end((last, done) => this.#child.stdin!.end(last, 'utf8', done));
    if (!(await within(this.#graceMs, this.died))) {
      // Only once: many programs treat a second SIGTERM as impatience and drop their work.
      this.#signalled = signalTree(this.#pid, 'SIGTERM');
      if (!(await within(this.#killMs - this.#graceMs, this.died))) signalTree(this.#pid, 'SIGKILL');
    }
    await within(this.#killMs + EXIT_MS, this.#treeGone);
  }

  #msToKill(): number {
    return this.#killAt === undefined ? this.#killMs - this.#graceMs : this.#killAt - performance.now();
  }
}

function childChannel(child: ChildProcess, pid: number, command: Command, limits: Limits): SpawnedChannel {
  const stdin = child.stdin!;
  const stdout = child.stdout!;
  const log = captureStderr(child.stderr, command.stderr);
  const end = new ChildEnd(child, pid, command);
  const exited = end.died.then(async (exit) => {
    await endedOrQuiet(log.ended, log.received);
    return { ...exit, stderr: log.text() };
  });

  let outputOver!: () => void;
  const outputEnded = new Promise<void>((resolve) => (outputOver = resolve));
  const reader = new OutputReader(stdout, { maxBytes: limits.lineBytes, onEnd: outputOver });
  const outputDone = end.died.then(() =>
    endedOrQuiet(
      outputEnded,
      () => reader.received,
      () => reader.held,
    ),
  );

  let closed: Promise<void> | undefined;
  let finish!: (error: Error) => void;
  // Rejects with the reason when nothing more will arrive.
  const finished = quiet(new Promise<never>((_, reject) => (finish = reject)));
  let over = false;
  finished.catch((error: Error) => {
    over = true;
    reader.end(error);
  });
  const ended = (exit: ProcessExit): void =>
    finish(closed === undefined ? new ProcessExitError(exit) : new ConnectionError('closed', 'The channel is closed'));

  const writer = new LineWriter(stdin, {
    maxUnsent: maxUnsent(limits),
    onBroken() {},
    // If stdin is broken because the process died, senders get its exit code rather than EPIPE.
    async explain(error) {
      const settled = finished.catch(() => {});
      if (await within(EXIT_MS, settled)) return finished;
      throw error;
    },
  });

  const close = async (): Promise<void> => {
    reader.discard();
    await end.stop(writer);
    // Its last output may still be on the way.
    await within(EXIT_MS, exited);
    for (const stream of [stdin, stdout, child.stderr]) stream?.destroy();
    child.unref();
  };

  void Promise.all([exited, outputDone]).then(([exit]) => ended(exit));
  void outputEnded.then(async () => {
    if (await within(EXIT_MS, end.died)) return;
    // No responses can arrive any more (specification, stdio: a server may close its stdout to end the connection).
    ended({ code: null, signal: null, stderr: log.text() });
    void end.stop(writer);
  });

  return {
    pid,
    send(text) {
      assertOneLine(text);
      return over ? finished : writer.send(text);
    },
    incoming: reader.inbox.items,
    exited,
    stderrTail: log.text,
    close: () => (closed ??= close()),
  };
}

/**
 * Starts a server as a child process and communicates with it over stdin and stdout.
 *
 * `incoming` throws a `ProcessExitError` with exit code, signal and last stderr when the process ends without `close` (also with code 0:
 * the server chose to end), and a `SpawnError` when it could not be started; `send` rejects with the same. To start it again, call
 * `spawnChannel` with the same command.
 *
 * The child leads a process group: `close` and the end of this process reach all processes it started that have not left the group. If this
 * process is killed, the server's stdin ends.
 *
 * @example
 * ```ts
 * import { connect } from 'tenon/client';
 * import { spawnChannel } from 'tenon/node';
 *
 * const channel = spawnChannel({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] });
 * await using client = await connect(channel);
 * console.error(`The server is process ${channel.pid}`);
 * ```
 */
export function spawnChannel(command: Command, options?: { readonly limits?: Partial<Limits> }): SpawnedChannel {
  const limits = withLimits(options?.limits);
  let child: ChildProcess;
  try {
    child = launch(command);
  } catch (error) {
    return failedChannel(command, Promise.resolve(error));
  }
  const failed = new Promise((resolve) => child.on('error', resolve));
  if (child.pid === undefined) return failedChannel(command, failed);
  const channel = childChannel(child, child.pid, command, limits);
  command.onStart?.({ pid: child.pid, exited: channel.exited });
  return channel;
}
