import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { textWithBytes, unfinishedBytes } from '../../shared/bytes.ts';

/** How much of git's output is used, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** How much of git's messages is used, in bytes. */
const MAX_ERROR_BYTES = 4_000;
/** Timeout of commands that only read, in milliseconds. */
export const READ_MS = 30_000;
/** Timeout of changes: longer, because there is no safe way to stop one. */
const CHANGE_MS = 5 * 60_000;
/** How long to wait after SIGTERM before SIGKILL. */
const TERMINATE_MS = 2_000;
/** How long to wait after SIGTERM in the middle of a change. */
const CHANGE_TERMINATE_MS = 30_000;

/** The result of a run of git. */
export interface GitResult {
  readonly code: number;
  /** The signal that ended it, if one did. */
  readonly signal: NodeJS.Signals | undefined;
  /** Its output as text for readers: `<E9>` stands for a byte that is not UTF-8. */
  readonly out: string;
  /** Whether the output is UTF-8. If it is not, `out` has other names than git. */
  readonly isUtf8: boolean;
  /** Its output. */
  readonly bytes: Buffer;
  /** The last of its messages, as text for readers. */
  readonly error: string;
  /** Whether there was more output than is used. */
  readonly isCut: boolean;
}

/** A change that git did not finish in time. `running`: the id of its process, if SIGTERM did not end it. */
export interface Unfinished {
  readonly running: number | undefined;
}

/** Runs git, without a shell, and stops it when the signal is aborted. Only for commands that take no locks: see `runGitToEnd`. */
export async function runGit(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
  input = '',
  most = MAX_BYTES,
): Promise<GitResult> {
  signal?.throwIfAborted();
  const { child, ended } = start(args, cwd, env, input, most);
  let terminateTimer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    terminateTimer ??= setTimeout(() => child.kill('SIGKILL'), TERMINATE_MS);
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
    clearTimeout(terminateTimer);
  }
}

/**
 * Runs a command that may take locks. A cancellation does not end it. Git removes its locks on SIGTERM, but it creates each lock file before it
 * registers it for removal: a signal in between leaves the lock, and so does every signal on Windows, where it ends the process at once. Then no
 * git can change the repository until the file is removed by hand. It cannot be removed here either, because it cannot be told from the lock of
 * another git. And a checkout that is stopped leaves files of two branches.
 */
export async function runGitToEnd(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  input = '',
  limit: AbortSignal = AbortSignal.timeout(CHANGE_MS),
  terminateMs = CHANGE_TERMINATE_MS,
): Promise<GitResult | Unfinished> {
  const { child, ended } = start(args, cwd, env, input, MAX_BYTES);
  let terminateTimer: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => {};
  const givenUp = new Promise<Unfinished>((resolve) => {
    stop = () => {
      child.kill('SIGTERM');
      // Killing it outright would be sure to leave its locks.
      terminateTimer = setTimeout(() => resolve({ running: child.pid }), terminateMs);
    };
  });
  limit.addEventListener('abort', stop, { once: true });
  try {
    const ran = await Promise.race([ended, givenUp]);
    const isStopped = 'code' in ran && child.signalCode === 'SIGTERM' && limit.aborted;
    return isStopped ? { running: undefined } : ran;
  } finally {
    limit.removeEventListener('abort', stop);
    clearTimeout(terminateTimer);
  }
}

function start(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  input: string,
  most: number,
): { readonly child: ChildProcessWithoutNullStreams; readonly ended: Promise<GitResult> } {
  const child = spawn('git', [...args], { cwd, env, shell: false });
  const ended = new Promise<GitResult>((resolve, reject) => {
    let size = 0;
    const out: Buffer[] = [];
    let error = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) out.push(chunk);
      else {
        out.push(chunk.subarray(0, Math.max(0, chunk.length - (size - most))));
        // Git ends at its next write, which never happens between creating a lock file and registering it.
        child.stdout.destroy();
      }
    });
    child.stderr.on('data', (chunk: Buffer) => (error = Buffer.concat([error, chunk]).subarray(-MAX_ERROR_BYTES)));
    child.stdin.on('error', () => {}).end(input);
    child.once('error', (cause) => reject(new Error(`git could not be started: ${cause.message}`, { cause })));
    child.once('close', (code, signal) => {
      const isCut = size > most;
      const all = Buffer.concat(out);
      const bytes = isCut ? all.subarray(0, all.length - unfinishedBytes(all)) : all;
      const { text, isUtf8 } = textWithBytes(bytes);
      resolve({
        code: isCut ? 0 : (code ?? 1),
        signal: isCut ? undefined : (signal ?? undefined),
        out: text,
        isUtf8,
        bytes,
        error: textWithBytes(error).text,
        isCut,
      });
    });
  });
  return { child, ended };
}

/** Git's error message, or else its output, shortened. */
export function messageOf({ error, out }: GitResult): string {
  return (error.trim() === '' ? out : error).trim().slice(0, 2_000);
}
