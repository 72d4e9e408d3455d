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

/** Something that is warm, and can be measured several times. */
export interface Running {
  /** Makes so many calls. */
  run(calls: number): Promise<Cost>;
  close(): void;
}

/** Longer than this is no measurement, in milliseconds. */
const MOST_MS = 180_000;

/** Measures what calls cost a program. An error names the program, and has the end of what it wrote to stderr. */
export async function costOf(
  program: Measured,
  { name, calls, run }: { readonly name: string; readonly calls: number; run(calls: number): Promise<void> },
): Promise<Cost> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const before = await program.cpu();
    const began = performance.now();
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`It has not answered for ${MOST_MS / 1_000} s`)), MOST_MS);
    });
    await Promise.race([run(calls), program.ended, late]);
    const seconds = (performance.now() - began) / 1_000;
    return { cpu: ((await program.cpu()) - before) / calls, perSecond: calls / seconds };
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}\n${program.errors()}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * How many calls precede those of a turn, as a part of them. They do not count: meanwhile connections are opened again, and the caches of the
 * processor, which other programs have used, are filled.
 */
const BEFORE = 0.25;

/** Makes the first calls, which are not measured, and gives what measures the next ones. It is closed if that fails. */
export async function warmed(
  program: Measured,
  load: { readonly name: string; readonly warmUp: number; run(calls: number): Promise<void>; close(): void },
): Promise<Running> {
  const { name, warmUp, run, close } = load;
  try {
    await costOf(program, { name, calls: warmUp, run });
    const measure = async (calls: number): Promise<Cost> => {
      await costOf(program, { name, calls: Math.ceil(calls * BEFORE), run });
      return costOf(program, { name, calls, run });
    };
    return { run: measure, close };
  } catch (error) {
    close();
    throw error;
  }
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
