// A server that tests start as a process: a database, or a message broker.

import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { apt } from './apt.ts';

export interface ServerProgram {
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it, again with the same arguments. Resolves when it is ready. */
  start(): Promise<void>;
}

interface Program {
  /** The command, which is also the name of its Debian package. */
  readonly name: string;
  readonly args: readonly string[];
  /** Where it says that it is ready, and with what text. */
  readonly output: 'stdout' | 'stderr';
  readonly ready: string;
  /** The oldest version that is supported, for the error where it is missing. */
  readonly needed: string;
}

function isInstalled(name: string): boolean {
  return spawnSync(name, ['--version']).status === 0;
}

/** Installs a program if it is missing. Throws if that fails: a test without it would prove nothing. */
function ensureInstalled({ name, needed }: Program): void {
  if (isInstalled(name)) return;
  console.error(`Installing ${name} with apt`);
  apt('update');
  apt('install', '-y', '--no-install-recommends', name);
  if (!isInstalled(name))
    throw new Error(`${name} was not found and could not be installed. Install ${needed} or newer`);
}

/** A program that is installed with apt if it is missing. It ends with this process, even if that fails before it has registered any hooks. */
export function serverProgram(program: Program): ServerProgram {
  ensureInstalled(program);
  const { name, args, output, ready } = program;
  let kill: ServerProgram['kill'] = async () => {};
  return {
    kill: () => kill(),
    async start() {
      // Its output must not be that of this process: whoever reads that would wait for the program, too.
      const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      const killNow = (): void => void child.kill('SIGKILL');
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
