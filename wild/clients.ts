// The clients of others that are tried with a server of Tenon's: `tenon run everything`, over stdio and HTTP.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { type Cell, NONE, ok, red, short } from './cell.ts';
import { type Ended, endGroup, freePort, printed, run, start } from './programs.ts';
import { programOf } from './servers.ts';

/** A server of Tenon's, reached in one way. */
export interface Offered {
  readonly home: string;
  /** Where it is reached; undefined: over stdio. */
  readonly url: string | undefined;
  /** The command that starts it over stdio. */
  readonly command: readonly string[];
}

/** How a server is reached. */
export const WAYS = ['stdio', 'HTTP'] as const;
export type Way = (typeof WAYS)[number];

/** A client of others. */
export interface Client {
  readonly name: string;
  readonly package: string;
  readonly stdio?: (offered: Offered) => Promise<Cell>;
  readonly http?: (offered: Offered) => Promise<Cell>;
  readonly expected?: Readonly<Partial<Record<Way, RegExp>>>;
  readonly because?: string;
}

const LIMIT_MS = 90_000;
const CALL = ['--call', 'echo', '{"message":"hi"}'];
const ANSWER = 'Echo: hi';
/** It looks for the program of the platform: the package's own command is put there by an install script. */
const CLAUDE = join(import.meta.dirname, 'node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs');
/** Its package has the program alone: the one that chooses among these for each platform runs an install script. */
const OPENCODE = join(import.meta.dirname, 'node_modules/opencode-linux-x64/bin/opencode');

function node(name: string, bin?: string): string[] {
  return [process.execPath, programOf(name, bin)];
}

/** Has a program ended well, and printed this? */
function says(ended: Ended, wanted: RegExp | string, text = ''): Cell {
  const all = stripVTControlCharacters(`${ended.out}\n${ended.err}`);
  const isThere = typeof wanted === 'string' ? all.includes(wanted) : wanted.test(all);
  if (isThere && ended.code === 0) return ok(text);
  return red(`${ended.code}, ${short(stripVTControlCharacters(ended.err).trim() || ended.out)}`);
}

/** A program of `clients/` lists and calls. */
async function sessionOf(file: string, { home }: Offered, words: readonly string[]): Promise<Cell> {
  const command = [process.execPath, join(import.meta.dirname, 'clients', file), ...CALL, ...words];
  return says(await run(command, { home, limit: LIMIT_MS }), ANSWER, 'listed, called');
}

function words({ url, command }: Offered): readonly string[] {
  return url === undefined ? ['--', ...command] : [url];
}

function library(name: string, packageName: string, file: string): Client {
  function act(offered: Offered): Promise<Cell> {
    return sessionOf(file, offered, words(offered));
  }
  return { name, package: packageName, stdio: act, http: act };
}

/** Starts a program that passes messages on, and has a client talk to it. */
async function through(
  offered: Offered,
  bridge: (port: number) => readonly string[],
  ready: RegExp,
  client: (origin: string) => Promise<Cell>,
): Promise<Cell> {
  const port = await freePort();
  const child = start(bridge(port), offered, 'pipe');
  try {
    await printed(child, ready, LIMIT_MS);
    return await client(`http://127.0.0.1:${port}`);
  } finally {
    endGroup(child);
  }
}

/** Three clients one after the other: a program that passes messages on may share one server among them. */
async function threeTimes(act: () => Promise<Cell>): Promise<Cell> {
  for (const which of ['first', 'second', 'third']) {
    const cell = await act();
    if (cell.mark !== 'ok') return { ...cell, text: `${which} client: ${cell.text}` };
  }
  return ok('three clients listed, called');
}

function quoted(command: readonly string[]): string {
  return command.join(' ');
}

function gateway(name: string, output: string, options: readonly string[], path: string, file: string): Client {
  return {
    name: `supergateway, stdio → ${name}`,
    package: 'supergateway',
    stdio: (offered) =>
      through(
        offered,
        (port) => [
          ...node('supergateway'),
          ...['--stdio', quoted(offered.command), '--outputTransport', output, '--port', String(port), ...options],
        ],
        /(Listening on port)/,
        (origin) => threeTimes(() => sessionOf(file, offered, [`${origin}${path}`])),
      ),
  };
}

/** Has `tenon config add` write a server into the configuration of a host's user. Undefined if it did. */
async function addTo(host: string, { home, url, command }: Offered): Promise<Cell | undefined> {
  const [program = '', cli = ''] = command;
  const target = url === undefined ? ['--', ...command] : [url];
  const add = [program, cli, 'config', 'add', 'it', '--host', host, '--user', ...target];
  const added = await run(add, { home, limit: LIMIT_MS });
  return added.code === 0 ? undefined : red(`tenon config add: ${short(added.err || added.out)}`);
}

interface HostProgram {
  readonly name: string;
  readonly package: string;
  /** What `tenon config` calls it. */
  readonly host: string;
  /** The command that lists the servers of its configuration. */
  readonly list: () => readonly string[];
  readonly wanted: RegExp;
  /** What has happened when `wanted` is printed. */
  readonly text: string;
  readonly prepare?: (home: string) => void;
}

/** A host that reads back what `tenon config add` wrote for it. */
function host({ name, package: packageName, host: id, list, wanted, text, prepare }: HostProgram): Client {
  async function act(offered: Offered): Promise<Cell> {
    const { home } = offered;
    prepare?.(home);
    return (await addTo(id, offered)) ?? says(await run(list(), { home, limit: LIMIT_MS }), wanted, text);
  }
  return { name, package: packageName, stdio: act, http: act };
}

/** Without this, Gemini CLI starts no servers: it does not know the folder. */
function trustFolders(home: string): void {
  const file = join(home, '.gemini/settings.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ security: { folderTrust: { enabled: false } } }));
}

function inspector({ home, url, command }: Offered): Promise<Cell> {
  const target = url === undefined ? command : [url, '--transport', 'http'];
  const method = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi'];
  const program = node('@modelcontextprotocol/inspector');
  return run([...program, '--cli', ...target, ...method], { home, limit: LIMIT_MS }).then((ended) =>
    says(ended, ANSWER, 'called'),
  );
}

async function mcporter({ home, url, command }: Offered): Promise<Cell> {
  const target = url === undefined ? ['--stdio', quoted(command)] : ['--http-url', url, '--allow-http'];
  const program = node('mcporter');
  const listed = await run([...program, 'list', ...target, '--schema'], { home, limit: LIMIT_MS });
  const cell = says(listed, 'echo');
  if (cell.mark !== 'ok') return cell;
  const called = await run([...program, 'call', ...target, 'echo', 'message=hi'], { home, limit: LIMIT_MS });
  return says(called, ANSWER, 'listed, called');
}

export const CLIENTS: readonly Client[] = [
  library('official, version 1', '@modelcontextprotocol/sdk', 'v1.mjs'),
  library('official, version 2', '@modelcontextprotocol/client', 'v2.mjs'),
  library('AI SDK 5', 'ai5-mcp', 'ai5.mjs'),
  library('AI SDK 6', 'ai6-mcp', 'ai6.mjs'),
  library('AI SDK 7', '@ai-sdk/mcp', 'ai7.mjs'),
  library('LangChain', '@langchain/mcp-adapters', 'langchain.mjs'),
  library('Mastra', '@mastra/mcp', 'mastra.mjs'),
  library('Agents SDK', '@openai/agents', 'agents.mjs'),
  {
    name: 'mcp-remote',
    package: 'mcp-remote',
    http: (offered) =>
      sessionOf('v1.mjs', offered, ['--', ...node('mcp-remote', 'mcp-remote'), offered.url!, '--allow-http']),
  },
  gateway('SSE', 'sse', [], '/sse', 'sse.mjs'),
  gateway('Streamable HTTP', 'streamableHttp', [], '/mcp', 'v1.mjs'),
  gateway('Streamable HTTP with sessions', 'streamableHttp', ['--stateful'], '/mcp', 'v1.mjs'),
  {
    name: 'supergateway, Streamable HTTP → stdio',
    package: 'supergateway',
    http: (offered) => sessionOf('v1.mjs', offered, ['--', ...node('supergateway'), '--streamableHttp', offered.url!]),
  },
  {
    name: 'mcp-proxy, stdio → Streamable HTTP',
    package: 'mcp-proxy',
    stdio: (offered) =>
      through(
        offered,
        (port) => [...node('mcp-proxy'), '--port', String(port), '--host', '127.0.0.1', '--', ...offered.command],
        /(starting server|server)/i,
        (origin) => threeTimes(() => sessionOf('v1.mjs', offered, [`${origin}/mcp`])),
      ),
  },
  {
    name: 'mcp-proxy, stdio → SSE',
    package: 'mcp-proxy',
    stdio: (offered) =>
      through(
        offered,
        (port) => [...node('mcp-proxy'), '--port', String(port), '--host', '127.0.0.1', '--', ...offered.command],
        /(starting server|server)/i,
        (origin) => threeTimes(() => sessionOf('sse.mjs', offered, [`${origin}/sse`])),
      ),
  },
  { name: 'inspector', package: '@modelcontextprotocol/inspector', stdio: inspector, http: inspector },
  { name: 'mcporter', package: 'mcporter', stdio: mcporter, http: mcporter },
  host({
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    host: 'claude-code',
    list: () => [process.execPath, CLAUDE, 'mcp', 'list'],
    wanted: /\bConnected\b/,
    text: 'configured, connected',
  }),
  host({
    name: 'Codex',
    package: '@openai/codex',
    host: 'codex',
    list: () => [...node('@openai/codex'), 'mcp', 'list', '--json'],
    wanted: /"name":\s*"it"/,
    text: 'configured, listed; it does not connect',
  }),
  host({
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    host: 'gemini',
    list: () => [...node('@google/gemini-cli'), 'mcp', 'list'],
    wanted: /- Connected/,
    text: 'configured, connected',
    prepare: trustFolders,
  }),
  host({
    name: 'opencode',
    package: 'opencode-linux-x64',
    host: 'opencode',
    list: () => [OPENCODE, 'mcp', 'list'],
    wanted: /it\s+connected/,
    text: 'configured, connected',
  }),
];

/** What came of a client in one way; without that way there is nothing to try. */
export function tryClient(client: Client, offered: Offered): Promise<Cell> {
  const act = offered.url === undefined ? client.stdio : client.http;
  if (act === undefined) return Promise.resolve(NONE);
  return act(offered).catch((error: unknown) => red(short(error instanceof Error ? error.message : String(error))));
}
