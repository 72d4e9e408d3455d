// A server that tests start as a process: a database, a message broker, or a proxy.

import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { apt } from './apt.ts';

export interface ServerProgram {
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it, again with the same arguments. Resolves when it is ready. */
  start(): Promise<void>;
}

/** A program of the machine. */
interface InstalledProgram {
  /** The command. */
  readonly name: string;
  /** The name of its Debian package. Default: that of the command. */
  readonly debianPackage?: string;
  /** The arguments that show its version. Default: `--version`. */
  readonly versionArgs?: readonly string[];
  /** The oldest version that is supported, for the error where it is missing. */
  readonly needed: string;
}

interface Program extends InstalledProgram {
  readonly args: readonly string[];
  /** Where it says that it is ready, and with what text. */
  readonly output: 'stdout' | 'stderr';
  readonly ready: string;
  /** The signal that kills it. Default: SIGKILL. SIGTERM for a program whose children would otherwise go on. */
  readonly signal?: 'SIGKILL' | 'SIGTERM';
}

function isInstalled({ name, versionArgs = ['--version'] }: InstalledProgram): boolean {
  return spawnSync(name, versionArgs).status === 0;
}

/** Installs a program if it is missing. Throws if that fails: a test without it would prove nothing. */
export function ensureInstalled(program: InstalledProgram): void {
  const { name, debianPackage = name, needed } = program;
  if (isInstalled(program)) return;
  console.error(`Installing ${name} with apt`);
  apt('update');
  apt('install', '-y', '--no-install-recommends', debianPackage);
  if (!isInstalled(program))
    throw new Error(`${name} was not found and could not be installed. Install ${needed} or newer`);
}

/** A program that is installed with apt if it is missing. It ends with this process, even if that fails before it has registered any hooks. */
export function serverProgram(program: Program): ServerProgram {
  ensureInstalled(program);
  const { name, args, output, ready, signal = 'SIGKILL' } = program;
  let kill: ServerProgram['kill'] = async () => {};
  return {
    kill: () => kill(),
    async start() {
      // Its output must not be that of this process: whoever reads that would wait for the program, too.
      const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      const killNow = (): void => void child.kill(signal);
      process.once('exit', killNow);
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      void ended.then(() => process.off('exit', killNow));
      kill = async () => {
        killNow();
        await ended;
      };
      child[output === 'stdout' ? 'stderr' : 'stdout'].resume();
      await new Promise<void>((resolve, reject) => {
        let text = '';
        child[output].setEncoding('utf8').on('data', (chunk: string) => {
          text = `${text}${chunk}`.slice(-10_000);
          if (text.includes(ready)) resolve();
        });
        child.once('error', reject);
        child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${text}`)));
      });
    },
  };
}
