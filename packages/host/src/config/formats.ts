// The formats of other hosts, in one table: where the servers are in a file, how they are read, and how they are written.
import { ConfigError } from './config-error.ts';
import type { Data, Fields, Syntax } from './document.ts';
import type { AddressLaunch, CommandLaunch, ConfigSource, ServerConfig, WrittenLaunch } from './server-config.ts';
import type { Problem } from './problem.ts';
import { readEntry } from './read-entry.ts';
import { BARE_VARIABLE, CODEX, COMMON, COPILOT, GEMINI, GOOSE, OPENCODE, type Shape, VSCODE, ZED } from './shapes.ts';
import { referencesIn, replaceReferences } from './template.ts';

/** The format in which a host configures its servers. */
export interface Format {
  /** The name of the host, for people. */
  readonly title: string;
  /** The syntax of its file. */
  readonly syntax: Syntax;
  /** The member of the document that contains the servers. */
  readonly member: string;
  /** How a server is read. */
  readonly shape: Shape;
  /** How a file of a project names the folder of the project, in the arguments of a server. */
  readonly projectFolder: string;
  /** Writes a command. */
  readonly command: (launch: CommandLaunch, name: string) => Record<string, unknown>;
  /** Writes a server at a URL. Throws a `ConfigError` if the host does not support it. */
  readonly address: (launch: AddressLaunch, name: string) => Record<string, unknown>;
  /** Members of commands that the host does not have. */
  readonly lacks?: readonly ('cwd' | 'envFile')[];
}

function cannot(message: string): never {
  throw new ConfigError('unusable-server', message);
}

type Command = Format['command'];
type Address = Format['address'];

function plainCommand(type?: string): Command {
  return ({ command, args, env, envFile, cwd }) => ({ type, command, args, env, envFile, cwd });
}

function plainAddress(types: Readonly<Partial<Record<AddressLaunch['kind'], string>>> = {}): Address {
  return ({ kind, url, headers }) => ({ type: types[kind], url, headers });
}

/** Refuses a literal `$NAME`: Gemini CLI, its forks and Copilot CLI treat it as a variable, and have no way to escape it. */
function refuseBareVariables(launch: WrittenLaunch): void {
  const texts =
    launch.kind === 'stdio'
      ? [launch.command, ...launch.args, ...Object.values(launch.env), launch.cwd ?? '']
      : [launch.url, ...Object.values(launch.headers)];
  const [found] = texts.flatMap((text) => text.match(BARE_VARIABLE) ?? []);
  if (found !== undefined) cannot(`${found} would be taken for a variable there`);
}

function geminiCommand(launch: CommandLaunch, name: string): Record<string, unknown> {
  refuseBareVariables(launch);
  return plainCommand()(launch, name);
}

/** Gemini CLI and its descendants have a member for each transport. */
function geminiAddress(launch: AddressLaunch): Record<string, unknown> {
  refuseBareVariables(launch);
  const { kind, url, headers } = launch;
  return kind === 'sse' ? { url, type: 'sse', headers } : { httpUrl: url, headers };
}

/** Copilot CLI has a list of the tools to offer, and `*` for all. */
const ALL_TOOLS = ['*'];

function copilotCommand(launch: CommandLaunch, name: string): Record<string, unknown> {
  refuseBareVariables(launch);
  return { ...plainCommand('local')(launch, name), tools: ALL_TOOLS };
}

function copilotAddress(launch: AddressLaunch, name: string): Record<string, unknown> {
  refuseBareVariables(launch);
  return { ...plainAddress({ http: 'http', sse: 'sse' })(launch, name), tools: ALL_TOOLS };
}

const PLAIN = { syntax: 'json', member: 'mcpServers', shape: COMMON, projectFolder: '.' } as const;
const NO_ENV_FILE = ['envFile'] as const;
const ONLY_COMMANDS = ['cwd', 'envFile'] as const;

/** The name of the environment variable that is the whole text, after an optional prefix. */
function variableIn(text: string, beginning = ''): string | undefined {
  if (!text.startsWith(`${beginning}\${`)) return undefined;
  const rest = text.slice(beginning.length);
  const [reference] = referencesIn(rest);
  if (reference?.kind !== 'machine' || reference.fallback !== undefined) return undefined;
  return replaceReferences(rest, () => '') === '' && referencesIn(rest).length === 1 ? reference.name : undefined;
}

/** Codex has no variables in texts. It has members for the names of variables instead. */
function codexCommand({ command, args, env, cwd }: CommandLaunch): Record<string, unknown> {
  const isPassed = ([name, value]: [string, string]): boolean => variableIn(value) === name;
  return {
    command,
    args,
    env: Object.fromEntries(Object.entries(env).filter((pair) => !isPassed(pair))),
    env_vars: Object.entries(env)
      .filter(isPassed)
      .map(([name]) => name),
    cwd,
  };
}

function codexAddress({ kind, url, headers }: AddressLaunch): Record<string, unknown> {
  if (kind === 'sse') cannot('Codex does not support HTTP with SSE');
  const found = Object.entries(headers).map(([header, value]) => ({
    header,
    value,
    token: header.toLowerCase() === 'authorization' ? variableIn(value, 'Bearer ') : undefined,
    name: variableIn(value),
  }));
  const named = (pairs: readonly (readonly [string, string])[]): Record<string, string> => Object.fromEntries(pairs);
  return {
    url,
    bearer_token_env_var: found.find(({ token }) => token !== undefined)?.token,
    http_headers: named(
      found.flatMap(({ header, value, token, name }) =>
        (token ?? name) === undefined ? [[header, value] as const] : [],
      ),
    ),
    env_http_headers: named(found.flatMap(({ header, name }) => (name === undefined ? [] : [[header, name] as const]))),
  };
}

/** Variables as opencode writes them. */
function toOpencode<T>(value: T): T {
  if (typeof value === 'string')
    return replaceReferences(value, (reference) =>
      reference.kind === 'machine' && reference.fallback === undefined
        ? `{env:${reference.name}}`
        : cannot(`opencode has no variable like \${${reference.name}}`),
    ) as T;
  if (Array.isArray(value)) return value.map(toOpencode) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toOpencode(item as unknown)])) as T;
}

/** The formats by the names of the hosts. */
export const FORMATS = {
  'claude-desktop': {
    ...PLAIN,
    title: 'Claude Desktop',
    command: plainCommand(),
    address: () => cannot('Claude Desktop takes servers at a URL as connectors, in its settings'),
    lacks: ONLY_COMMANDS,
  },
  'claude-code': {
    ...PLAIN,
    title: 'Claude Code',
    command: plainCommand(),
    address: plainAddress({ http: 'http', sse: 'sse' }),
    lacks: NO_ENV_FILE,
  },
  vscode: {
    ...PLAIN,
    title: 'VS Code',
    member: 'servers',
    shape: VSCODE,
    projectFolder: '${workspaceFolder}',
    command: plainCommand('stdio'),
    address: plainAddress({ http: 'http', sse: 'sse' }),
  },
  cursor: {
    ...PLAIN,
    title: 'Cursor',
    projectFolder: '${workspaceFolder}',
    command: plainCommand(),
    address: plainAddress(),
  },
  goose: {
    title: 'goose',
    syntax: 'yaml',
    member: 'extensions',
    shape: GOOSE,
    projectFolder: '.',
    command: ({ command, args, env }, name) => ({
      name,
      type: 'stdio',
      cmd: command,
      args,
      envs: env,
      enabled: true,
      timeout: 300,
    }),
    address: ({ kind, url, headers }, name) => ({
      name,
      type: kind === 'sse' ? 'sse' : 'streamable_http',
      uri: url,
      headers,
      enabled: true,
      timeout: 300,
    }),
    lacks: ONLY_COMMANDS,
  },
  codex: {
    title: 'Codex',
    syntax: 'toml',
    member: 'mcp_servers',
    shape: CODEX,
    projectFolder: '.',
    command: codexCommand,
    address: codexAddress,
    lacks: NO_ENV_FILE,
  },
  opencode: {
    title: 'opencode',
    syntax: 'json',
    member: 'mcp',
    shape: OPENCODE,
    projectFolder: '.',
    command: ({ command, args, env, cwd }) =>
      toOpencode({ type: 'local', command: [command, ...args], environment: env, cwd, enabled: true }),
    address: ({ url, headers }) => toOpencode({ type: 'remote', url, headers, enabled: true }),
    lacks: NO_ENV_FILE,
  },
  zed: {
    title: 'Zed',
    syntax: 'json',
    member: 'context_servers',
    shape: ZED,
    projectFolder: '.',
    command: ({ command, args, env }) => ({ source: 'custom', command, args, env }),
    address: ({ kind, url, headers }) =>
      kind === 'sse' ? cannot('Zed does not support HTTP with SSE') : { url, headers },
    lacks: ONLY_COMMANDS,
  },
  gemini: {
    ...PLAIN,
    title: 'Gemini CLI',
    shape: GEMINI,
    command: geminiCommand,
    address: geminiAddress,
    lacks: NO_ENV_FILE,
  },
  qwen: {
    ...PLAIN,
    title: 'Qwen Code',
    shape: GEMINI,
    command: geminiCommand,
    address: geminiAddress,
    lacks: NO_ENV_FILE,
  },
  copilot: {
    ...PLAIN,
    title: 'Copilot CLI',
    shape: COPILOT,
    command: copilotCommand,
    address: copilotAddress,
    lacks: NO_ENV_FILE,
  },
  windsurf: {
    ...PLAIN,
    title: 'Windsurf',
    command: plainCommand(),
    address: ({ url, headers }) => ({ serverUrl: url, headers }),
    lacks: ONLY_COMMANDS,
  },
} as const satisfies Readonly<Record<string, Format>>;

/** The name of a host whose format is known. */
export type FormatName = keyof typeof FORMATS;

const UNSUPPORTED = { cwd: 'a working folder', envFile: 'a file of variables' } as const;

/** Leaves out members that are undefined or empty. */
function withoutEmpty(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  );
}

/**
 * The entry of a server in the format of a host. Throws a `ConfigError` if the format cannot express it: no part of a server is left out
 * silently.
 *
 * @example
 * ```ts
 * import { FORMATS, writeEntry } from '@tenon/host/formats';
 *
 * const entry = writeEntry(FORMATS.vscode, 'notes', { kind: 'stdio', command: 'node', args: ['notes.js'], env: {} });
 * console.log(JSON.stringify({ servers: { notes: entry } }));
 * ```
 */
export function writeEntry(format: Format, name: string, launch: WrittenLaunch): Record<string, unknown> {
  const { title, lacks = [] } = format;
  if (launch.kind === 'stdio') {
    const missing = lacks.find((member) => launch[member] !== undefined);
    if (missing !== undefined) cannot(`${title} has no ${missing}: the server needs ${UNSUPPORTED[missing]}`);
    return withoutEmpty(format.command(launch, name));
  }
  if (launch.oauth !== undefined) cannot(`login settings are not written for ${title}: log in there`);
  return withoutEmpty(format.address(launch, name));
}

/** An entry that was read. */
export interface ReadEntry {
  /** Undefined if the entry is invalid. */
  readonly server: ServerConfig | undefined;
  /** The member that turns it off. */
  readonly off: 'disabled' | 'enabled' | undefined;
  /** The reasons why it is invalid, or which parts of it are ignored. */
  readonly problems: readonly Problem[];
}

/**
 * Reads the entry of a server in the format of a host.
 *
 * @example
 * ```ts
 * import { FORMATS, parseEntry } from '@tenon/host/formats';
 *
 * const { server, problems } = parseEntry(FORMATS.gemini, 'docs', { httpUrl: 'https://docs.example/mcp' });
 * console.log(server?.launch ?? problems[0]?.message);
 * ```
 */
export function parseEntry(format: Format, name: string, data: unknown, file = ''): ReadEntry {
  const fields = typeof data === 'object' && data !== null ? (data as Fields) : {};
  const source: ConfigSource = { file, trust: 'user' };
  const path = [format.member, name];
  return {
    ...readEntry({ alias: name, data: data as Data, path, shape: format.shape, source }),
    off: fields['disabled'] === true ? 'disabled' : fields['enabled'] === false ? 'enabled' : undefined,
  };
}
