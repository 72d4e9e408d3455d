// The servers of others that Tenon is tried with. Their versions are those of package.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pythonProgram, pythonVersion } from './python.ts';

/** What Tenon does with a server, one after the other. */
export const VERBS = ['list', 'call', 'check', 'doctor', 'record', 'serve'] as const;
export type Verb = (typeof VERBS)[number];

/** A server of others. */
export interface Server {
  readonly name: string;
  readonly package: string;
  /** The environment in Python that has it, in `python/`. Without it, the package is one of npm. */
  readonly python?: string;
  /** Which of its programs, if it has several; in Python, if it is not named like the package. */
  readonly bin?: string;
  readonly args?: readonly string[];
  /** The home of the run takes the place of `HOME` in each value. */
  readonly env?: Readonly<Record<string, string>>;
  /** A call that changes nothing outside the temporary home and needs no account. */
  readonly call?: { readonly tool: string; readonly args: object };
  /** What is expected where it is not `ok`: what the matrix shows after the mark. */
  readonly expected?: Readonly<Partial<Record<Verb, RegExp>>>;
  /** Why that is right. */
  readonly because?: string;
}

/** No keys: they are words of the right form, which the servers only look at when a tool is called. */
const KEY = 'wild-0000000000000000000000000000000000';
const NOWHERE = '127.0.0.1:9';

/** The server of `python/`, made with a package for Python. */
function inPython(name: string, packageName: string, python: 'official' | 'fastmcp'): Server {
  return {
    name,
    package: packageName,
    python,
    bin: 'python',
    args: [join(import.meta.dirname, 'python/server.py'), python],
    env: { PYTHONDONTWRITEBYTECODE: '1' },
    call: { tool: 'add', args: { a: 1, b: 2 } },
  };
}

export const SERVERS: readonly Server[] = [
  {
    name: 'everything',
    package: '@modelcontextprotocol/server-everything',
    call: { tool: 'echo', args: { message: 'hi' } },
  },
  {
    name: 'filesystem',
    package: '@modelcontextprotocol/server-filesystem',
    args: ['HOME'],
    call: { tool: 'list_allowed_directories', args: {} },
  },
  {
    name: 'memory',
    package: '@modelcontextprotocol/server-memory',
    env: { MEMORY_FILE_PATH: 'HOME/memory.jsonl' },
    call: { tool: 'read_graph', args: {} },
  },
  {
    name: 'sequential-thinking',
    package: '@modelcontextprotocol/server-sequential-thinking',
    call: {
      tool: 'sequentialthinking',
      args: { thought: 'one', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
    },
  },
  { name: 'puppeteer', package: '@modelcontextprotocol/server-puppeteer' },
  {
    name: 'postgres',
    package: '@modelcontextprotocol/server-postgres',
    args: [`postgresql://a:b@${NOWHERE}/c`],
    expected: {
      list: /^unknown: 8 unknown, .*ECONNREFUSED/,
      check: /^unknown: lists \(unknown\)$/,
      doctor: /^unknown: lists \(unknown\)$/,
    },
    because:
      'there is no database, so its resources cannot be listed; the error -32603 does not say whose fault that is',
  },
  { name: 'github', package: '@modelcontextprotocol/server-github', env: { GITHUB_PERSONAL_ACCESS_TOKEN: KEY } },
  {
    name: 'gitlab',
    package: '@modelcontextprotocol/server-gitlab',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: KEY },
  },
  {
    name: 'slack',
    package: '@modelcontextprotocol/server-slack',
    env: { SLACK_BOT_TOKEN: `xoxb-${KEY}`, SLACK_TEAM_ID: 'T00000000' },
  },
  { name: 'google-maps', package: '@modelcontextprotocol/server-google-maps', env: { GOOGLE_MAPS_API_KEY: KEY } },
  { name: 'brave-search (old)', package: '@modelcontextprotocol/server-brave-search', env: { BRAVE_API_KEY: KEY } },
  { name: 'everart', package: '@modelcontextprotocol/server-everart', env: { EVERART_API_KEY: KEY } },
  {
    name: 'redis',
    package: '@modelcontextprotocol/server-redis',
    args: [`redis://${NOWHERE}`],
    expected: {
      list: /^unknown: 7 unknown, No answer/,
      check: /^unknown: 7 unknown, .*Its stderr: .*Redis Retry/,
      doctor: /^unknown: 7 unknown, .*Its stderr: .*Redis Retry/,
      record: /^red: as without it/,
      serve: /^red: as without it/,
    },
    because: 'it answers nothing until its database does, and there is none; what it writes to stderr is shown',
  },
  { name: 'playwright', package: '@playwright/mcp' },
  { name: 'chrome-devtools', package: 'chrome-devtools-mcp', bin: 'chrome-devtools-mcp' },
  { name: 'playwright (ea)', package: '@executeautomation/playwright-mcp-server' },
  { name: 'browsermcp', package: '@browsermcp/mcp' },
  { name: 'context7', package: '@upstash/context7-mcp' },
  { name: 'notion', package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: KEY } },
  { name: 'mongodb', package: 'mongodb-mcp-server', env: { MDB_MCP_TELEMETRY: 'disabled' } },
  { name: 'sentry', package: '@sentry/mcp-server', args: ['--access-token', KEY] },
  { name: 'brave', package: '@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: KEY } },
  { name: 'tavily', package: 'tavily-mcp', env: { TAVILY_API_KEY: `tvly-${KEY}` } },
  { name: 'exa', package: 'exa-mcp-server', env: { EXA_API_KEY: KEY } },
  { name: 'figma', package: 'figma-developer-mcp', args: ['--stdio', '--figma-api-key', KEY] },
  {
    name: 'desktop-commander',
    package: '@wonderwhy-er/desktop-commander',
    bin: 'desktop-commander',
    call: { tool: 'list_sessions', args: {} },
  },
  { name: 'taskmanager', package: '@kazuph/mcp-taskmanager', env: { TASK_MANAGER_FILE_PATH: 'HOME/tasks.json' } },
  { name: 'airtable', package: 'airtable-mcp-server', env: { AIRTABLE_API_KEY: `pat.${KEY}` } },
  { name: 'git (cyanheads)', package: '@cyanheads/git-mcp-server', env: { GIT_BASE_DIR: 'HOME' } },
  { name: 'commands', package: 'mcp-server-commands' },
  { name: 'next-devtools', package: 'next-devtools-mcp', env: { NEXT_TELEMETRY_DISABLED: '1' } },
  { name: 'shadcn', package: 'shadcn', args: ['mcp'] },
  {
    name: 'supabase',
    package: '@supabase/mcp-server-supabase',
    args: ['--access-token', `sbp_${KEY}`],
    expected: {
      list: /^unknown: 8 unknown, .*fetch failed/,
      check: /^unknown: lists \(unknown\)$/,
      doctor: /^unknown: lists \(unknown\)$/,
      record: /^red: as without it, .*fetch failed/,
      serve: /^red: as without it, .*fetch failed/,
    },
    because:
      'it asks its service which tools there are, which needs an account (or the network); the error -32603 does not say whose fault that is',
  },
  {
    name: 'hubspot',
    package: '@hubspot/mcp-server',
    env: { PRIVATE_APP_ACCESS_TOKEN: `pat-na1-${KEY}` },
    expected: {
      list: /^red: 8 server, .*Method not found/,
      check: /^red: lists \(server\)$/,
      doctor: /^red: lists \(server\)$/,
    },
    because: 'it declares resources and does not know `resources/list`',
  },
  {
    name: 'elastic',
    package: '@elastic/mcp-server-elasticsearch',
    env: { ES_URL: `http://${NOWHERE}`, ES_API_KEY: KEY },
    expected: {
      check: /^red: stdout-noise \(server\)$/,
      doctor: /^red: 6 server, The server wrote text to stdout that is not a message/,
    },
    because: 'its telemetry writes a log line to stdout when it starts (rule `stdout-noise`)',
  },
  { name: 'eslint', package: '@eslint/mcp' },
  { name: 'antv-chart', package: '@antv/mcp-server-chart' },
  { name: 'firecrawl', package: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: `fc-${KEY}` } },
  {
    name: 'time',
    package: 'time-mcp',
    call: { tool: 'current_time', args: { format: 'YYYY-MM-DD', timezone: 'UTC' } },
    expected: {
      check: /^red: stdout-noise \(server\)$/,
      doctor: /^red: 6 server, The server wrote text to stdout that is not a message/,
    },
    because: 'it writes `Starting Time MCP server...` to stdout (rule `stdout-noise`)',
  },
  inPython('made with the official SDK', 'mcp', 'official'),
  inPython('made with FastMCP', 'fastmcp', 'fastmcp'),
];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: string | Readonly<Record<string, string>>;
}

/** The folder of an installed package. */
function folderOf(name: string): string {
  return join(import.meta.dirname, 'node_modules', name);
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')) as Manifest;
}

/** What is installed under a name, which may be an alias of package.json. */
export function installedAs({ package: name, python }: Pick<Server, 'package' | 'python'>): {
  readonly package: string;
  readonly version: string;
} {
  if (python !== undefined) return { package: `${name} (Python)`, version: pythonVersion(python, name) };
  const { name: packageName, version } = manifestOf(name);
  return { package: packageName, version };
}

/** The program of an installed package: the named one, or its first. */
export function programOf(name: string, bin?: string): string {
  const { bin: bins = {} } = manifestOf(name);
  const path = typeof bins === 'string' ? bins : bin === undefined ? Object.values(bins)[0] : bins[bin];
  if (path === undefined) throw new Error(`${name} has no program ${bin ?? ''}`);
  return join(folderOf(name), path);
}

/** The command that starts a server, and its variables, for this home. */
export function launchOf(server: Server, home: string): { command: string[]; env: Record<string, string> } {
  const inHome = (text: string): string => text.replaceAll('HOME', home);
  const { package: name, python, bin } = server;
  const program =
    python === undefined ? [process.execPath, programOf(name, bin)] : [pythonProgram(python, bin ?? name)];
  return {
    command: [...program, ...(server.args ?? []).map(inHome)],
    env: Object.fromEntries(Object.entries(server.env ?? {}).map(([name, value]) => [name, inHome(value)])),
  };
}
