// The formats in which hosts write servers. They are converted to one form while they are read.
import { type Data, type Fields, presentMember, isFields } from './document.ts';
import type { Entry } from './fields.ts';
import type { Names } from './launch.ts';
import type { Dialect } from './settings.ts';

/** The format in which a host writes a server. */
export interface Shape extends Dialect {
  readonly names: Names;
  /** Further names for the member `url`. */
  readonly urls?: readonly string[];
  /** Converts an entry to the common members. */
  adapt?(fields: Fields, entry: Pick<Entry, 'refuse' | 'note'>): Fields;
}

/** A variable without braces, as some hosts fill it in. */
export const BARE_VARIABLE = /\$([A-Za-z_]\w*)/g;

const NAMES: Names = { type: 'type', command: 'command', env: 'env', url: 'url' };

function textsIn(data: Data | undefined): string[] {
  return Array.isArray(data) ? (data as readonly Data[]).filter((item) => typeof item === 'string') : [];
}

/** The names of variables of this machine, as variables. */
function variablesNamed(names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name): [string, Data] => [name, `\${env:${name}}`]));
}

/**
 * Adds texts to an object of texts; the added ones take precedence. Any other value is returned unchanged, and reported where it is read.
 */
function merged(own: Data | undefined, others: Fields): Data | undefined {
  if (Object.keys(others).length === 0) return own;
  return own === undefined || isFields(own) ? { ...own, ...others } : own;
}

/**
 * `mcpServers` of Claude, Cursor, Gemini CLI, Qwen Code, Windsurf, MCP Inspector, our own and many more. Gemini and Qwen write `httpUrl`,
 * Windsurf `serverUrl`.
 */
export const COMMON: Shape = {
  names: NAMES,
  urls: ['httpUrl', 'serverUrl'],
  timeoutUnit: 1,
  allowed: { name: 'includeTools', emptyIsAll: false },
  denied: 'excludeTools',
  adapt(fields, entry) {
    if (presentMember(fields, 'trust') === true)
      entry.note('trust', 'Calls are decided by your own rules, and not by "trust": it is ignored.');
    const denied = presentMember(fields, 'disabledTools');
    return denied === undefined || presentMember(fields, 'excludeTools') !== undefined
      ? fields
      : { ...fields, excludeTools: denied };
  },
};

/** A text, or those in a list or an object, with `$NAME` as `${NAME}`. */
function withBraces(data: Data): Data {
  if (Array.isArray(data)) return (data as readonly Data[]).map(withBraces);
  if (isFields(data)) return Object.fromEntries(Object.entries(data).map(([name, item]) => [name, withBraces(item)]));
  return typeof data === 'string' ? data.replaceAll(BARE_VARIABLE, '${$1}') : data;
}

/** `mcpServers` of Gemini CLI and Qwen Code, which also fill in variables without braces. */
export const GEMINI: Shape = {
  ...COMMON,
  adapt: (fields, entry) => COMMON.adapt!(withBraces(fields) as Fields, entry),
};

/**
 * `mcpServers` of Copilot CLI, which fills in such variables, too. Its list of tools has `*` for all of them, and the registered client of a
 * login has a member of its own.
 */
export const COPILOT: Shape = {
  ...GEMINI,
  adapt(written, entry) {
    const { tools = null, oauthClientId: clientId = null, ...fields } = written;
    const isEveryTool = textsIn(tools).includes('*');
    const oauth = merged(presentMember(fields, 'oauth'), clientId === null ? {} : { clientId }) ?? null;
    return GEMINI.adapt!({ ...fields, tools: isEveryTool ? null : tools, oauth }, entry);
  },
};

/** `servers` of VS Code. */
export const VSCODE: Shape = { names: NAMES, timeoutUnit: 1 };

/** `mcp.servers` of mcp-agent. */
export const MCP_AGENT: Shape = {
  names: { ...NAMES, type: 'transport' },
  timeoutUnit: 1,
  timeoutSeconds: ['read_timeout_seconds', 'http_timeout_seconds'],
  allowed: { name: 'allowed_tools', emptyIsAll: false },
};

/** `extensions` of goose. */
export const GOOSE: Shape = {
  names: { type: 'type', command: 'cmd', env: 'envs', url: 'uri' },
  timeoutUnit: 1000,
  allowed: { name: 'available_tools', emptyIsAll: true },
  adapt(fields, entry) {
    const { type } = fields;
    if (typeof type === 'string' && ['builtin', 'platform', 'frontend', 'inline_python'].includes(type)) {
      entry.refuse('type', `An extension of the "type" ${type} is part of goose. Use it in goose.`);
    }
    // Goose keeps their values in its keyring. Here they are environment variables.
    const kept = variablesNamed(textsIn(presentMember(fields, 'env_keys')));
    const own = presentMember(fields, 'envs');
    if (presentMember(fields, 'uri') !== undefined || (own !== undefined && !isFields(own))) return fields;
    return Object.keys(kept).length === 0 ? fields : { ...fields, envs: { ...kept, ...own } };
  },
};

/** `mcp_servers` of Codex. */
export const CODEX: Shape = {
  names: NAMES,
  timeoutUnit: 1000,
  timeoutSeconds: ['tool_timeout_sec'],
  allowed: { name: 'enabled_tools', emptyIsAll: false },
  denied: 'disabled_tools',
  adapt(fields, entry) {
    if (presentMember(fields, 'bearer_token') !== undefined)
      entry.refuse('bearer_token', 'Codex does not read tokens here. Write "bearer_token_env_var".');
    const token = presentMember(fields, 'bearer_token_env_var');
    const named = presentMember(fields, 'env_http_headers');
    const headers: Fields = Object.fromEntries([
      ...(typeof token === 'string' ? [['Authorization', `Bearer \${env:${token}}`]] : []),
      ...Object.entries(isFields(named) ? named : {}).map(([header, name]) => [header, `\${env:${String(name)}}`]),
    ]);
    // A variable is a name, or an object with one.
    const passed = presentMember(fields, 'env_vars');
    const names = (Array.isArray(passed) ? (passed as readonly Data[]) : []).map((item) =>
      isFields(item) ? presentMember(item, 'name') : item,
    );
    const scopes = presentMember(fields, 'scopes');
    return {
      ...fields,
      headers: merged(presentMember(fields, 'http_headers'), headers) ?? null,
      env: merged(presentMember(fields, 'env'), variablesNamed(textsIn(names as Data))) ?? null,
      oauth: scopes === undefined ? null : { scopes },
    };
  },
};

/** `{env:NAME}` of opencode as a variable. */
function fromOpencode(data: Data, entry: Pick<Entry, 'refuse'>, member: string): Data {
  if (Array.isArray(data)) return (data as readonly Data[]).map((item) => fromOpencode(item, entry, member));
  if (isFields(data))
    return Object.fromEntries(Object.entries(data).map(([name, item]) => [name, fromOpencode(item, entry, member)]));
  if (typeof data !== 'string') return data;
  if (/\{file:[^}]*\}/.test(data))
    entry.refuse(member, 'Contents of files ({file:…}) are not supported. Write {env:NAME}.');
  return data.replaceAll(/\{env:([^}]+)\}/g, (_, name: string) => `\${env:${name}}`);
}

/** `mcp` of opencode, or `mcp.servers` in its second version. */
export const OPENCODE: Shape = {
  names: NAMES,
  timeoutUnit: 1,
  adapt(written, entry) {
    const fields = Object.fromEntries(
      Object.entries(written).map(([name, data]) => [name, fromOpencode(data, entry, name)]),
    );
    const { command, environment = null, oauth = null, timeout = null, ...rest } = fields;
    const words = Array.isArray(command) ? (command as readonly Data[]) : undefined;
    if (command !== undefined && (words === undefined || words.length === 0))
      entry.refuse('command', '"command" is not a list. Write the program and its arguments: ["node", "server.js"].');
    const login = isFields(oauth) ? { ...oauth, scopes: presentMember(oauth, 'scope') ?? null } : null;
    return {
      ...rest,
      command: words?.[0] ?? null,
      args: words?.slice(1) ?? null,
      env: environment,
      // `false`: no login. Otherwise the settings for a login on request.
      oauth: login,
      timeout: isFields(timeout) ? (presentMember(timeout, 'request') ?? null) : timeout,
    };
  },
};

/** `context_servers` of Zed. */
export const ZED: Shape = {
  names: NAMES,
  timeoutUnit: 1000,
  adapt(fields, entry) {
    const { source, command } = fields;
    if (source === 'extension' || (command === undefined && presentMember(fields, 'settings') !== undefined))
      entry.refuse([], 'This server comes with an extension of Zed. Use it in Zed.');
    const { source: _, settings: __, ...rest } = fields;
    // An older form contains an object with the program and its arguments.
    if (!isFields(command)) return rest;
    return {
      ...rest,
      command: presentMember(command, 'path') ?? null,
      args: presentMember(command, 'args') ?? null,
      env: presentMember(command, 'env') ?? null,
    };
  },
};
