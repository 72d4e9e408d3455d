// Runs an official client with a server: over stdio with a recording of all traffic, or at a URL.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENDS_WITH_PARENT } from '../../../../scripts/lib/ends-with-parent.ts';
import { createOracle, type Direction } from '../oracle/oracle.ts';
import type { Report } from './script.ts';

export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** Starts our server from its sources. */
export const tenonServer: readonly string[] = [
  process.execPath,
  '--conditions=tenon-source',
  fixture('tenon-server.ts'),
];

type Line = readonly [Direction, string];

export interface Run {
  readonly report: Report;
  /** One per process that the client started, in order: all lines of both directions. */
  readonly conversations: readonly (readonly Line[])[];
}

type Variables = Readonly<Record<string, string>>;
interface Client {
  run(target: readonly string[], env: Variables): Promise<Report>;
}

/** Runs the script of the suite with a client in this process. Rejects with the client's error if it fails. */
async function perform(client: 'v1' | 'v2', target: readonly string[], env: Variables): Promise<Report> {
  const { run } = (await import(new URL(`fixtures/official-${client}-client.mjs`, import.meta.url).href)) as Client;
  // The same JSON round trip as for a report that another program prints.
  return JSON.parse(JSON.stringify(await run(target, env))) as Report;
}

/** Runs the script of the suite. */
export async function runOfficialClient(
  client: 'v1' | 'v2',
  server: readonly string[],
  env: Variables = {},
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-interop-'));
  try {
    const report = await perform(client, [process.execPath, fixture('tee.mjs'), folder, ...server], env);
    const conversations = readdirSync(folder)
      .toSorted()
      .map((file) => linesOf(readFileSync(join(folder, file), 'utf8')).map((line) => JSON.parse(line) as Line));
    return { report, conversations };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Runs the script of the suite with a server at a URL. */
export function runOfficialClientAt(client: 'v1' | 'v2', url: string, env: Variables = {}): Promise<Report> {
  return perform(client, [url], env);
}

export interface AtPort {
  /** The URL of the Streamable HTTP endpoint. */
  readonly url: string;
  /** The URL of the HTTP+SSE endpoint. */
  readonly sse: string;
  /** Has its process not ended? */
  readonly running: boolean;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts a server of the fixtures on its own port: it prints its URL. */
export async function startAtPort(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<AtPort> {
  const child = spawn(args[0]!, [...ENDS_WITH_PARENT, ...args.slice(1)], {
    env: { ...process.env, ...env, HTTP: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => resolve(text.trim()));
    child.once('exit', () => reject(new Error('The server did not start')));
  });
  return {
    url,
    sse: url.replace(/mcp$/, 'sse'),
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    signal: (name) => void child.kill(name),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Runs a program of the fixtures with the Node of this process. */
export function runProgram(args: string[]): Promise<{ stdout: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: 200_000 }, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout });
      else reject(new Error(`The client failed\n${stderr}`, { cause: error }));
    });
  });
}

/** The violations of the official schemas by the server in a conversation, and the revision. */
export function judgeServer(conversation: readonly Line[]): { revision: string | undefined; problems: string[] } {
  const oracle = createOracle('auto', { judge: 'server-to-client' });
  for (const [direction, text] of conversation) oracle.observe(direction, text);
  return { revision: oracle.revision, problems: oracle.problems };
}
