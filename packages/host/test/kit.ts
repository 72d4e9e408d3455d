// Helpers for tests of hosts.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { until } from '../../../scripts/lib/until.ts';
import { createHost, type Host, type HostOptions } from '../src/index.ts';

export const FIXTURE = fileURLToPath(new URL('fixtures/server.ts', import.meta.url));

export function fixture(mode = 'plain', env: Record<string, string> = {}) {
  return {
    command: process.execPath,
    args: [FIXTURE],
    env: { FIXTURE: mode, ...env },
  };
}

export function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'host-'));
}

export { until };

/** Options that quickly end a server that ignores the end of its stdin. */
export const QUICKLY = { graceMs: 50, killMs: 100 } as const;

/** Limits with which servers restart without a pause, and calls wait for them without a time limit. */
export const PATIENT = { restartMs: 10, startWaitMs: 600_000 } as const;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function yes() {
  return { allow: true };
}

export function textOf({ content }: { content: readonly unknown[] }): string {
  return content.map((block) => (block as { text?: string }).text).join('');
}

export async function started(options: HostOptions): Promise<Host> {
  const host = await createHost(options);
  await host.start();
  return host;
}

/** A legacy server over stdio without an SDK. `more`: code that handles further messages. `says`: the text of each result. */
export async function rawServer(
  tools: readonly { readonly name: string; readonly [member: string]: unknown }[],
  { says = 'ok', more = '' }: { readonly says?: string; readonly more?: string } = {},
  file?: string,
): Promise<{ command: string; args: string[] }> {
  const path = file ?? join(await folder(), 'raw.mjs');
  await writeFile(
    path,
    `import { createInterface } from 'node:readline';
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const answers = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'x', version: '1' } },
      'tools/list': { tools: ${JSON.stringify(tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })))} },
      'tools/call': { content: [{ type: 'text', text: ${JSON.stringify(says)} }] },
      'logging/setLevel': {},
      ping: {},
    };
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      ${more}
      if (id === undefined || method === undefined) return;
      send(answers[method] ? { id, result: answers[method] } : { id, error: { code: -32601, message: 'no' } });
    });`,
  );
  return { command: process.execPath, args: [path] };
}
