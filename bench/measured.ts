// A program in a process of its own, that tells how much processor time it has used.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What a call cost. */
export interface Cost {
  /** Processor time of what is measured, microseconds per call. */
  readonly cpu: number;
  readonly perSecond: number;
}

export interface Measured {
  readonly child: ChildProcessWithoutNullStreams;
  /** Processor time so far, microseconds. */
  cpu(): Promise<number>;
  /** What it holds once its garbage is collected, bytes. */
  heap(): Promise<number>;
  /** The first line of its stdout. */
  line(): Promise<string>;
  /** The end of what it wrote to stderr. */
  errors(): string;
  kill(): void;
}

const HOOK = new URL('cpu.mjs', import.meta.url).href;

/** Starts a program of this folder, by its path without `.mjs`. */
export const startProgram = (path: string, env: Readonly<Record<string, string>> = {}): Measured => {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', HOOK, fileURLToPath(new URL(`${path}.mjs`, import.meta.url))],
    { stdio: 'pipe', env: { ...process.env, ...env } },
  );
  let told: ((cpu: number, heap: number) => void) | undefined;
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-4_000);
    const found = /measured (\d+) (\d+)\n/.exec(chunk);
    if (found !== null) told?.(Number(found[1]), Number(found[2]));
  });
  const ask = (): Promise<{ readonly cpu: number; readonly heap: number }> =>
    new Promise((resolve) => {
      told = (cpu, heap) => resolve({ cpu, heap });
      child.kill('SIGUSR2');
    });
  return {
    child,
    cpu: async () => (await ask()).cpu,
    heap: async () => (await ask()).heap,
    line: () =>
      new Promise((resolve, reject) => {
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
        });
        child.once('exit', (code) => reject(new Error(`it ended with code ${code}`)));
      }),
    errors: () => errors,
    kill: () => void child.kill('SIGKILL'),
  };
};
