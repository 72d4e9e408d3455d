// The clients of others that are tried with README's first example, over stdio and HTTP.
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { type Cell, NONE, ok, red, short } from './cell.ts';
import { type Client, LIMIT_MS, node, type Offered, says, sessionOf } from './client.ts';
import { EXAMPLE } from './example.ts';
import { HOSTS } from './hosts.ts';
import { endGroup, freePort, printed, run, start } from './programs.ts';
import { pythonProgram } from './python.ts';

const { tool: TOOL, args: ARGS, answer: ANSWER } = EXAMPLE;
/** `a=1`, `b=2` */
const PAIRS = Object.entries(ARGS).map(([name, value]) => `${name}=${value}`);

function words({ url, command }: Offered): readonly string[] {
  return url === undefined ? ['--', ...command] : [url];
}

function library(name: string, packageName: string, file: string): Client {
  function act(offered: Offered): Promise<Cell> {
    return sessionOf(file, offered, words(offered));
  }
  return { name, package: packageName, stdio: act, http: act };
}

function inPython(name: string, packageName: string, python: string, file: string): Client {
  function act(offered: Offered): Promise<Cell> {
    return sessionOf(file, offered, words(offered), pythonProgram(python, 'python'));
  }
  return { name, package: packageName, python, stdio: act, http: act };
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

async function inspector({ home, url, command }: Offered): Promise<Cell> {
  const target = url === undefined ? command : [url, '--transport', 'http'];
  const program = [...node('@modelcontextprotocol/inspector'), '--cli', ...target, '--method'];
  const listed = await run([...program, 'tools/list'], { home, limit: LIMIT_MS });
  const cell = says(listed, [`"${TOOL}"`]);
  if (cell.mark !== 'ok') return cell;
  const args = PAIRS.flatMap((pair) => ['--tool-arg', pair]);
  const called = await run([...program, 'tools/call', '--tool-name', TOOL, ...args], { home, limit: LIMIT_MS });
  return says(called, [ANSWER], 'listed, called');
}

async function mcporter({ home, url, command }: Offered): Promise<Cell> {
  const target = url === undefined ? ['--stdio', quoted(command)] : ['--http-url', url, '--allow-http'];
  const program = node('mcporter');
  const listed = await run([...program, 'list', ...target, '--schema'], { home, limit: LIMIT_MS });
  const cell = says(listed, [TOOL]);
  if (cell.mark !== 'ok') return cell;
  const called = await run([...program, 'call', ...target, TOOL, ...PAIRS], { home, limit: LIMIT_MS });
  return says(called, [ANSWER], 'listed, called');
}

/** It is interactive: it shows a list of tools, asks for each argument, prints the result, and shows the list again. */
async function mcpCli({ home, url, command }: Offered): Promise<Cell> {
  const target = url === undefined ? command : ['--url', url];
  const child = start([...node('@wong2/mcp-cli'), ...target], { home }, 'pipe');
  const steps: (readonly [string, string])[] = [
    [`tool(${TOOL})`, '\r'],
    ...Object.entries(ARGS).map(([name, value]) => [`* ${name}`, `${value}\r`] as const),
    [ANSWER, '\u0003'],
  ];
  let said = '';
  const timer = setTimeout(() => endGroup(child), LIMIT_MS);
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += stripVTControlCharacters(text);
      const [next] = steps;
      if (next === undefined || !said.includes(next[0])) return;
      said = '';
      steps.shift();
      child.stdin!.write(next[1]);
    });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return steps.length === 0 && code === 0 ? ok('listed, called') : red(`${code}, ${short(said)}`);
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
  library('Genkit', '@genkit-ai/mcp', 'genkit.mjs'),
  library('LlamaIndex', '@llamaindex/tools', 'llamaindex.mjs'),
  inPython('official', 'mcp', 'official', 'official.py'),
  inPython('FastMCP', 'fastmcp', 'fastmcp', 'fastmcp_client.py'),
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
  { name: 'mcp-cli', package: '@wong2/mcp-cli', stdio: mcpCli, http: mcpCli },
  ...HOSTS,
];

/** What came of a client in one way; without that way there is nothing to try. */
export function tryClient(client: Client, offered: Offered): Promise<Cell> {
  const act = offered.url === undefined ? client.stdio : client.http;
  if (act === undefined) return Promise.resolve(NONE);
  return act(offered).catch((error: unknown) => red(short(error instanceof Error ? error.message : String(error))));
}
