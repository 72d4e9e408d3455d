import { spawn } from 'node:child_process';

/** Most bytes of what git says that are used. */
const MOST_BYTES = 1024 * 1024;
const MOST_MS = 30_000;
/** How long git may take to end when it is asked to. */
const PATIENCE_MS = 2_000;

/** What became of a run of git. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  /** There was more than is used. */
  readonly isCut: boolean;
}

/** Runs git as it is, without a shell. */
export const spawned = (
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
  input = '',
  most = MOST_BYTES,
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn('git', [...args], { cwd, env, shell: false, timeout: MOST_MS });
    // It takes its locks away when it is asked to end.
    let patience: ReturnType<typeof setTimeout> | undefined;
    const abort = (): void => {
      child.kill('SIGTERM');
      patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    };
    signal?.addEventListener('abort', abort, { once: true });
    let size = 0;
    const out: Buffer[] = [];
    let error = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) out.push(chunk);
      else {
        out.push(chunk.subarray(0, Math.max(0, chunk.length - (size - most))));
        child.kill('SIGTERM');
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error = (error + text).slice(-4_000)));
    child.stdin.on('error', () => {}).end(input);
    child.once('error', (cause) => reject(new Error(`git could not be started: ${cause.message}`, { cause })));
    child.once('close', (code) => {
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted === true) return reject(signal.reason as Error);
      clearTimeout(patience);
      const isCut = size > most;
      resolve({ code: isCut ? 0 : (code ?? 1), out: Buffer.concat(out).toString(), error, isCut });
    });
  });

/** What git said, for people. */
export const said = ({ error, out }: Ran): string => (error.trim() === '' ? out : error).trim().slice(0, 2_000);
