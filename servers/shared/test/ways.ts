// Opens a server in every way a client can: over stdio and HTTP, in the revisions of both eras, with Tenon's client and the official ones.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connect, type ConnectOptions, type Revision } from 'tenon/client';

/** The result of a call, from any client. */
export interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The common interface of all clients. */
export interface TestClient {
  tools(): Promise<string[]>;
  call(name: string, args?: object): Promise<Answer>;
  close(): Promise<void>;
}

/** The arguments that a server is started with. */
export interface ServerStart {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The command that starts a server as it is built: from its sources it takes twice the CPU time. */
export function commandOf({ name, args = [] }: ServerStart): [string, ...string[]] {
  const file = fileURLToPath(new URL(`../../${name}/bin/server-${name}.js`, import.meta.url));
  return [process.execPath, file, ...args];
}

/** Starts a server over HTTP, and gives its URL. */
export async function serveOverHttp(started: ServerStart): Promise<{ readonly url: string; stop(): void }> {
  const [command, ...args] = commandOf({ ...started, args: [...(started.args ?? []), '--http', '0'] });
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'pipe'], env: { ...process.env, ...started.env } });
  const url = await new Promise<string>((resolve, reject) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      const [, found] = / at (http\S+)\n/.exec(stderr) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${stderr}`)));
  });
  return { url, stop: () => void child.kill('SIGKILL') };
}

const eras: ConnectOptions['eras'] = { get: () => undefined, set() {}, delete() {} };

/** Connects with Tenon's client. */
export async function withTenon(
  target: string | ServerStart,
  revision: Revision,
  options: ConnectOptions = {},
): Promise<TestClient> {
  const how = { ...options, eras, revision };
  const client =
    typeof target === 'string'
      ? await connect(target, how)
      : await connect({ command: commandOf(target)[0], args: commandOf(target).slice(1), env: target.env ?? {} }, how);
  return {
    tools: async () => (await client.tools().all()).map(({ name }) => name),
    call: async (name, args = {}) => (await client.result(name, args as Record<string, unknown>)) as Answer,
    close: () => client.close(),
  };
}

interface Official {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  close(): Promise<void>;
}

function toTestClient(client: Official): TestClient {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args as Record<string, unknown> })) as unknown as Answer,
    close: () => client.close(),
  };
}

/** Connects with one of the official clients. */
async function withOfficial(
  target: string | ServerStart,
  version: 1 | 2,
  mode: 'legacy' | 'auto',
): Promise<TestClient> {
  const info = { name: `official-v${version}`, version: '1' };
  const spawned =
    typeof target === 'string'
      ? undefined
      : {
          command: commandOf(target)[0],
          args: commandOf(target).slice(1),
          env: { ...(process.env as Record<string, string>), ...target.env },
          stderr: 'ignore' as const,
        };
  if (version === 1) {
    const client = new Client1(info);
    const transport = spawned === undefined ? new Http1(new URL(target as string)) : new Stdio1(spawned);
    await client.connect(transport as never);
    return toTestClient(client as unknown as Official);
  }
  const client = new v2.Client(info, { versionNegotiation: { mode } });
  await client.connect(
    spawned === undefined ? new v2.StreamableHTTPClientTransport(new URL(target as string)) : new Stdio2(spawned),
  );
  return toTestClient(client as unknown as Official);
}

export const REVISIONS: readonly Revision[] = ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'];

/**
 * All ways to connect, by name. Each opens a new client; those over HTTP share one server process. `options` are those of Tenon's client.
 */
export function waysTo(started: ServerStart, options: ConnectOptions = {}) {
  let served: ReturnType<typeof serveOverHttp> | undefined;
  const url = async (revision?: Revision): Promise<string> => {
    const { url: at } = await (served ??= serveOverHttp(started));
    return revision === '2024-11-05' ? at.replace(/mcp$/, 'sse') : at;
  };
  const ways = new Map<string, () => Promise<TestClient>>();
  for (const revision of REVISIONS) {
    ways.set(`${revision} over stdio`, () => withTenon(started, revision, options));
    ways.set(`${revision} over HTTP`, async () => withTenon(await url(revision), revision, options));
  }
  for (const [version, mode] of [
    [1, 'legacy'],
    [2, 'legacy'],
    [2, 'auto'],
  ] as const) {
    const who = `the official v${version} client${version === 2 ? `, ${mode}` : ''}`;
    ways.set(`${who}, over stdio`, () => withOfficial(started, version, mode));
    ways.set(`${who}, over HTTP`, async () => withOfficial(await url(), version, mode));
  }
  return { ways, url, stop: async () => (await served)?.stop() };
}

/** The content of an answer as text. */
export function textOf({ content }: Answer): string {
  return content.map((part) => part.text ?? part.uri ?? `(${part.type})`).join('\n');
}
