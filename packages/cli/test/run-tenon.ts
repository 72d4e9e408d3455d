import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
/** The built command, as published. */
export const TENON = join(here, '../dist/tenon.js');

/** The state of these tests is separate from that of the user who runs them. */
const STATE = mkdtempSync(join(tmpdir(), 'tenon-state-'));

export function fixture(name: string): string {
  return join(here, 'fixtures', name);
}

/** The command line of the misbehaving server, with its mode. */
export function peer(mode: string, ...rest: readonly string[]): string[] {
  return ['--', process.execPath, fixture('peer.mjs'), mode, ...rest];
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The command's stdin; without it there is none. `later`: written by `onStderr`. */
  readonly input?: string | { readonly later: true };
  /** Called with the whole stderr so far whenever more arrives. */
  readonly onStderr?: (stderr: string, kill: (signal: NodeJS.Signals) => void, enter: (text: string) => void) => void;
}

/** Runs `tenon` with pipes, like another program does. */
export function tenon(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.node ?? process.execPath, [TENON, ...args], {
      cwd: options.cwd,
      env: { ...process.env, XDG_STATE_HOME: STATE, ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: 200_000,
    });
    let stdout = '';
    let stderr = '';
    if (typeof options.input === 'string') child.stdin?.end(options.input);
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      options.onStderr?.(
        stderr,
        (signal) => child.kill(signal),
        (entered) => child.stdin?.end(entered),
      );
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** The failure that the command reported: the last line on stderr. */
export function failureIn({ stderr }: Outcome): Record<string, unknown> {
  const last = stderr.trimEnd().split('\n').at(-1)!;
  return (JSON.parse(last) as { error: Record<string, unknown> }).error;
}

/** The text of a tool result that was printed as JSON. */
export function textIn({ stdout }: Outcome): string {
  const { content } = JSON.parse(stdout) as { content: { text: string }[] };
  return content[0]!.text;
}
