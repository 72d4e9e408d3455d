// Clients that make the counted calls: ours in this process, the official ones in separate processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from '../../../../scripts/lib/until.ts';
import { type Client, connect, createEraMemory } from '../../src/entries/client.ts';
import type { TraceEntry } from '../../src/entries/index.ts';
import { type Call, describeError, type Outcome, repeat } from './counted.ts';
import type { Revision } from './expected.ts';
import { fixture } from './official-client.ts';

/** How long a client waits for an answer, in milliseconds. */
export const TIMEOUT_MS = 1_500;
/** The maximum total time of a call, in milliseconds. */
export const MAX_TIMEOUT_MS = 6_000;

/** A client that makes counted calls. */
export interface CountedClient {
  /** Begins a call; `ended` gets its outcome. */
  begin(call: Call, ended: (outcome: Outcome) => void): void;
  /** Resolves when nothing is in progress. `openAtProxy` returns the number of open exchanges that the proxy knows. */
  settled(openAtProxy: () => number): Promise<void>;
  /** Closes the client. Resolves with the problems: requests that it left open, and unexpected messages. */
  close(): Promise<readonly string[]>;
}

/** Our client. */
export async function ourClient(url: string, revision: Revision): Promise<CountedClient> {
  const problems: string[] = [];
  const open = new Set<number>();
  const noteExchange = ({ kind, http }: TraceEntry): void => {
    if (kind !== 'http' || http === undefined) return;
    if (http.part === 'request') open.add(http.exchange);
    else if (http.part === 'end') open.delete(http.exchange);
  };
  const client: Client = await connect(url, {
    revision,
    eras: createEraMemory(),
    sample: (params) => repeat(params),
    onTrace: noteExchange,
    log: ({ event, message }) => {
      // A stray answer would belong to another call.
      if (event === 'stray-reply' || event === 'handler-failed') problems.push(`${event}: ${message}`);
    },
  });
  // Otherwise the client does not know which tools may run twice.
  await client.tools().all();
  return {
    begin({ kind, ...call }, ended) {
      const { key } = call;
      const onProgress = ({ message }: { message?: string }): void => {
        if (message !== undefined && message !== key) problems.push(`${key} got the progress of ${message}`);
      };
      const timeouts = { timeout: TIMEOUT_MS, maxTimeout: MAX_TIMEOUT_MS };
      client.call(kind, call, kind === 'steps' ? { ...timeouts, onProgress } : timeouts).then(
        (text) => ended({ key, text: String(text) }),
        (error: unknown) => ended({ key, error: describeError(error) }),
      );
    },
    settled: (openAtProxy) => until(() => open.size === openAtProxy(), 'the client knows what is open'),
    async close() {
      await client.close();
      await until(
        () => open.size === 0,
        () => `the end of ${open.size} exchanges`,
      );
      return problems;
    },
  };
}

/** An official client, which reconnects after a failed call. */
export async function officialClient(maker: 'v1' | 'v2', url: string, revision: Revision): Promise<CountedClient> {
  const child = spawn(process.execPath, [fixture(`counted-${maker}-client.mjs`), url], {
    env: { ...process.env, MODE: revision, TIMEOUT_MS: String(TIMEOUT_MS) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<string, (outcome: Outcome) => void>();
  const problems: string[] = [];
  let ready!: () => void;
  const started = new Promise<void>((resolve) => (ready = resolve));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'ready') return ready();
    const outcome = JSON.parse(line) as Outcome;
    const ended = waiting.get(outcome.key);
    if (ended === undefined) problems.push(`${outcome.key} ended twice`);
    waiting.delete(outcome.key);
    return ended?.(outcome);
  });
  const exited = once(child, 'exit');
  await Promise.race([started, exited.then(() => Promise.reject(new Error(`The ${maker} client did not start`)))]);
  return {
    begin(call, ended) {
      waiting.set(call.key, ended);
      child.stdin.write(`${JSON.stringify(call)}\n`);
    },
    settled: async () => {},
    async close() {
      child.stdin.end();
      await exited;
      return problems;
    },
  };
}
