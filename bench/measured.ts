// A program in a process of its own, that tells how much processor time it has used.
import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What a call cost. */
export interface Cost {
  /** Processor time of what is measured, microseconds per call. */
  readonly cpu: number;
  readonly perSecond: number;
}

export interface Measured {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Processor time so far, microseconds. */
  cpu(): Promise<number>;
  /** What it holds once its garbage is collected, bytes. */
  heap(): Promise<number>;
  /** The first line of its stdout. */
  line(): Promise<string>;
  /** Rejects when the program ends. */
  readonly ended: Promise<never>;
  /** The end of what it wrote to stderr. */
  errors(): string;
  kill(): void;
}

const HOOK = new URL('cpu.mjs', import.meta.url).href;

/** The path of a program of this folder, given without `.mjs`. */
export function programPath(path: string): string {
  return fileURLToPath(new URL(`${path}.mjs`, import.meta.url));
}

/** Starts a program of this folder with a Node. */
export function startProgram(
  path: string,
  { node, env = {} }: { readonly node: string; readonly env?: Readonly<Record<string, string>> },
): Measured {
  const child = spawn(node, ['--expose-gc', '--import', HOOK, programPath(path)], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  const { stdin, stdout, stderr } = child as ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };
  // What is written to a program that has ended is reported by its end.
  stdin.on('error', () => {});
  let errors = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => void (errors = (errors + chunk).slice(-4_000)));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => reject(new Error(`${path} ended (${signal ?? `code ${code}`})`)));
  });
  ended.catch(() => {});
  const ask = (what: 'cpu' | 'heap'): Promise<number> => {
    const answer = new Promise<number>((resolve) => child.once('message', resolve));
    child.send(what);
    return Promise.race([answer, ended]);
  };
  const firstLine = (): Promise<string> =>
    new Promise((resolve) => {
      let text = '';
      const onData = (chunk: string): void => {
        text += chunk;
        const end = text.indexOf('\n');
        if (end === -1) return;
        stdout.off('data', onData);
        resolve(text.slice(0, end));
      };
      stdout.setEncoding('utf8').on('data', onData);
    });
  return {
    stdin,
    stdout,
    cpu: () => ask('cpu'),
    heap: () => ask('heap'),
    line: () => Promise.race([firstLine(), ended]),
    ended,
    errors: () => errors,
    kill: () => void child.kill('SIGKILL'),
  };
}
