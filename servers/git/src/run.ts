import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/** Most bytes of what git says that are used. */
const MOST_BYTES = 1024 * 1024;
/** How long reading may take. */
const READ_MS = 30_000;
/** How long a change may take: longer, because there is no safe way to stop one. */
const CHANGE_MS = 5 * 60_000;
/** How long git may take to end when it is asked to. */
const PATIENCE_MS = 2_000;
/** The same in the middle of a change. */
const CHANGE_PATIENCE_MS = 30_000;

/** What became of a run of git. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  /** There was more than is used. */
  readonly isCut: boolean;
}

/** A change that git did not finish in time. `running`: the id of its process, where it did not end when it was asked to. */
export interface Unfinished {
  readonly running: number | undefined;
}

/** Runs git as it is, without a shell, and ends it when the signal is aborted. Only for commands that take no locks: see `runToEnd`. */
export const spawned = async (
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
  input = '',
  most = MOST_BYTES,
): Promise<Ran> => {
  signal?.throwIfAborted();
  const { child, ended } = start(args, cwd, env, input, most);
  let patience: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    patience ??= setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  };
  const limit = setTimeout(stop, READ_MS);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const ran = await ended;
    signal?.throwIfAborted();
    return ran;
  } finally {
    signal?.removeEventListener('abort', stop);
    clearTimeout(limit);
    clearTimeout(patience);
  }
};

/**
 * Runs a command that may take locks. A cancellation does not end it. Git removes its locks on SIGTERM, but it creates each lock file before it
 * registers it for removal: a signal in between leaves the lock, and so does every signal on Windows, where it ends the process at once. Then no
 * git can change the repository until the file is removed by hand. It cannot be removed here either, because it cannot be told from the lock of
 * another git. And a checkout that is stopped leaves files of two branches.
 */
export const runToEnd = async (
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  input = '',
  limit: AbortSignal = AbortSignal.timeout(CHANGE_MS),
  patienceMs = CHANGE_PATIENCE_MS,
): Promise<Ran | Unfinished> => {
  const { child, ended } = start(args, cwd, env, input, MOST_BYTES);
  let patience: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => {};
  const givenUp = new Promise<Unfinished>((resolve) => {
    stop = () => {
      child.kill('SIGTERM');
      // Killing it outright would be sure to leave its locks.
      patience = setTimeout(() => resolve({ running: child.pid }), patienceMs);
    };
  });
  limit.addEventListener('abort', stop, { once: true });
  try {
    const ran = await Promise.race([ended, givenUp]);
    const isStopped = 'code' in ran && child.signalCode === 'SIGTERM' && limit.aborted;
    return isStopped ? { running: undefined } : ran;
  } finally {
    limit.removeEventListener('abort', stop);
    clearTimeout(patience);
  }
};

const start = (
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  input: string,
  most: number,
): { readonly child: ChildProcessWithoutNullStreams; readonly ended: Promise<Ran> } => {
  const child = spawn('git', [...args], { cwd, env, shell: false });
  const ended = new Promise<Ran>((resolve, reject) => {
    let size = 0;
    const out: Buffer[] = [];
    let error = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) out.push(chunk);
      else {
        out.push(chunk.subarray(0, Math.max(0, chunk.length - (size - most))));
        // Git ends when it writes the next time, which is never between creating a lock and registering it.
        child.stdout.destroy();
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error = (error + text).slice(-4_000)));
    child.stdin.on('error', () => {}).end(input);
    child.once('error', (cause) => reject(new Error(`git could not be started: ${cause.message}`, { cause })));
    child.once('close', (code) => {
      const isCut = size > most;
      resolve({ code: isCut ? 0 : (code ?? 1), out: Buffer.concat(out).toString(), error, isCut });
    });
  });
  return { child, ended };
};

/** What git said, for people. */
export const said = ({ error, out }: Ran): string => (error.trim() === '' ? out : error).trim().slice(0, 2_000);
