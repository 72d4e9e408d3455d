// A user of a machine on which nothing is installed but one Node and its npm, which is configured for the registry.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { root } from '../scripts/lib/files.ts';
import { npmCommand } from '../scripts/lib/npm.mjs';
import type { Registry } from './registry.ts';

export interface Newcomer {
  /** An empty folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line, and resolves with its stdout. Rejects with all of its output if it fails. */
  run(command: string, options?: RunOptions): Promise<string>;
  /** Starts a command line that keeps running. It ends with `stop`, or with the newcomer. */
  start(command: string, options?: RunOptions): Running;
  /** Ends everything and removes all files. */
  leave(): Promise<void>;
}

interface RunOptions {
  /** Relative to the newcomer's folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Running {
  /** Its output so far. */
  output(): string;
  isOver(): boolean;
  stop(): Promise<void>;
}

/** How long one command may take, in milliseconds. */
const LIMIT_MS = 300_000;
const MAX_OUTPUT = 1_000_000;

/** The commands `node`, `npm` and `npx`. */
function installCommands(bin: string, node: string): void {
  const script = npmCommand(root).args[0];
  if (script === undefined) throw new Error('The script of npm was not found beside Node: run this with npm');
  mkdirSync(bin);
  symlinkSync(node, join(bin, 'node'));
  for (const name of ['npm', 'npx']) {
    const path = join(dirname(script), `${name}-cli.js`);
    if (!existsSync(path)) throw new Error(`${path} is missing`);
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${join(bin, 'node')}' '${path}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

function environment(bin: string, home: string): Record<string, string> {
  const others = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return {
    PATH: [bin, ...others].join(delimiter),
    HOME: home,
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
  };
}

function endGroup(child: ChildProcess): void {
  try {
    // npm and a shell do not always pass signals on.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

/** A newcomer with this Node. */
export function newcomer(node: string, { url }: Registry): Newcomer {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-newcomer-')));
  const [home, bin, folder] = ['home', 'bin', 'work'].map((name) => join(base, name)) as [string, string, string];
  mkdirSync(home);
  mkdirSync(folder);
  installCommands(bin, node);
  writeFileSync(join(home, '.npmrc'), `registry=${url}\n`);
  const env = environment(bin, home);
  const running = new Set<ChildProcess>();

  const begin = (command: string, { cwd = '.', env: more = {} }: RunOptions, stderr: 'pipe' | 'stdout') => {
    const child = spawn('sh', ['-ec', command], {
      cwd: join(folder, cwd),
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(child);
    const said = { out: '', all: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said.all = (said.all + text).slice(-MAX_OUTPUT);
        if (stream === child.stdout || stderr === 'stdout') said.out = (said.out + text).slice(-MAX_OUTPUT);
      });
    const over = new Promise<number | string>((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(child);
        resolve(code ?? signal ?? 'unknown');
      });
    });
    return { child, said, over };
  };

  return {
    folder,
    env,
    async run(command, options = {}) {
      const { child, said, over } = begin(command, options, 'pipe');
      const late = setTimeout(() => endGroup(child), LIMIT_MS);
      const code = await over;
      clearTimeout(late);
      if (code !== 0) throw new Error(`${command}\nended with ${code}:\n${said.all.slice(-4_000)}`);
      return said.out;
    },
    start(command, options = {}) {
      const { child, said, over } = begin(command, options, 'stdout');
      return {
        output: () => said.out,
        isOver: () => child.exitCode !== null || child.signalCode !== null,
        async stop() {
          endGroup(child);
          await over;
        },
      };
    },
    async leave() {
      for (const child of running) endGroup(child);
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
