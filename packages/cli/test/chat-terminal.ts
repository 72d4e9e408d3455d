import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import type { Terminal as Xterm } from '@xterm/headless';
import { PATIENCE_MS, until } from '../../../scripts/lib/until.ts';
import { TENON } from './run-tenon.ts';

const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as { Terminal: typeof Xterm };

/** The path of the server whose texts are all dangerous for a terminal, and whose behaviour can be chosen. */
export const RISKY = join(import.meta.dirname, 'fixtures', 'chat-server.mjs');

/** The command of the server "everything". */
export const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve('@tenon/server-everything')),
  '../bin/server-everything.js',
);

export const KEYS = {
  enter: '\r',
  tab: '\t',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  space: ' ',
  backspace: '\u007f',
} as const;

/** Makes a temporary folder that is removed after the tests. */
export function folder(files: Readonly<Record<string, unknown>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'tenon-chat-'));
  after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return path;
}

/** A command in a pseudo-terminal, whose screen can be read. */
export interface Session {
  /** The screen with its scrollback, without empty lines at the end. */
  screen(): string;
  /** Waits until the screen shows this. Throws with the screen content on timeout. */
  shows(what: RegExp | string): Promise<void>;
  /** Types the text. */
  type(...keys: readonly string[]): Promise<void>;
  /** Waits for the exit code. Throws with the screen content on timeout. */
  ends(): Promise<number>;
  /** The raw output. */
  raw(): string;
  readonly xterm: Xterm;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The script to run. Default: `tenon`. */
  readonly script?: string;
  /** A program that is run instead of a script. */
  readonly program?: string;
}

/** Environment variables that would change the screen content. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'NO_COLOR',
  'FORCE_COLOR',
  'CI',
]);

function plainEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || NOT_PASSED_ON.has(name) ? [] : [[name, value]],
    ),
  );
}

/** How long to wait for output after a key, in milliseconds; and after Escape, which changes the meaning of a key right after it. */
const KEY_MS = 30;
const ESCAPE_MS = 1_000;

/** Runs `tenon`, another script or another program in a pseudo-terminal. */
export function inTerminal(
  args: readonly string[],
  { cwd, env = {}, columns = 100, rows = 40, script = TENON, program }: TerminalOptions,
): Session {
  const xterm = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5_000 });
  const [file, words] = program === undefined ? [process.execPath, [script, ...args]] : [program, [...args]];
  const child = spawn(file, words, {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { ...plainEnvironment(), FORCE_COLOR: '1', XDG_STATE_HOME: join(cwd, 'state'), ...env },
  });
  let raw = '';
  child.onData((data) => {
    raw += data;
    xterm.write(data, () => (shown = undefined));
  });
  /** The cached screen content, until something is drawn. */
  let shown: string | undefined;
  // Responses of the terminal go to the program, as in reality: a terminal query sent by a server would show here.
  xterm.onData((data) => child.write(data));
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  let isOver = false;
  void ended.then(() => (isOver = true));
  after(() => {
    if (!isOver) child.kill('SIGKILL');
  });
  const screen = (): string => {
    const { active } = xterm.buffer;
    return (shown ??= Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? '',
    )
      .join('\n')
      .trimEnd());
  };
  const session: Session = {
    screen,
    raw: () => raw,
    xterm,
    async ends() {
      const late = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new Error(`It does not end:\n${screen()}`)), PATIENCE_MS).unref();
      });
      return Promise.race([ended, late]);
    },
    shows: (what) =>
      until(
        () => (typeof what === 'string' ? screen().includes(what) : what.test(screen())),
        () => `${String(what)} on the screen:\n${screen()}`,
      ),
    async type(...keys) {
      for (const key of keys) {
        const before = raw.length;
        child.write(key);
        // Send keys one by one, like a terminal. Most change the screen; a key after one that does not is read together with it.
        const most = key === KEYS.escape ? ESCAPE_MS : key.length === 1 && key >= ' ' ? KEY_MS : 2 * KEY_MS;
        for (const late = performance.now() + most; raw.length === before && performance.now() < late;) await sleep(1);
        // Larger changes are drawn in several chunks.
        if (key.length > 1 || key < ' ') await sleep(KEY_MS);
      }
    },
  };
  return session;
}

/** A chat with the demo script and one server, ready for input. */
export async function chat(server: readonly string[], cwd = folder(), ...options: readonly string[]): Promise<Session> {
  const session = inTerminal(['chat', '--model', 'demo', ...options, '--', process.execPath, ...server], { cwd });
  await session.shows(/ready[^]*›/);
  return session;
}

/** Types a line and presses Enter. */
export function say(session: Session, text: string): Promise<void> {
  return session.type(...text, KEYS.enter);
}

/** Waits for the input prompt. */
export function isIdle(session: Session): Promise<void> {
  return session.shows(/› +Type a message[^\n]*$/);
}
