/** A server entry, independent of the host's format. */
export type ServerEntry =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly kind: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

type Fields = Readonly<Record<string, unknown>>;

function texts(value: unknown): Record<string, string> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Leaves out members that are undefined or empty. */
function withoutEmpty(members: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  );
}

/** The format of a host's server entries. */
export interface Dialect {
  read(fields: Fields): ServerEntry | undefined;
  /** Throws an `Error` if the host does not support the entry. */
  write(name: string, entry: ServerEntry): Record<string, unknown>;
}

function readCommon(fields: Fields, names: { command: string; env: string; url: string }): ServerEntry | undefined {
  const { [names.command]: command, [names.url]: url, type } = fields;
  if (typeof url === 'string') return { kind: type === 'sse' ? 'sse' : 'http', url, headers: texts(fields['headers']) };
  if (typeof command !== 'string') return undefined;
  const { cwd } = fields;
  return {
    kind: 'stdio',
    command,
    args: list(fields['args']),
    env: texts(fields[names.env]),
    cwd: typeof cwd === 'string' ? cwd : undefined,
  };
}

const PLAIN = { command: 'command', env: 'env', url: 'url' };

/** The `mcpServers` format of most hosts. `types`: the host's names for the transports; without one, `type` is left out. */
function common(types: { readonly stdio?: string; readonly http?: string; readonly sse?: string }): Dialect {
  return {
    read: (fields) => readCommon(fields, PLAIN),
    write: (_, entry) =>
      entry.kind === 'stdio'
        ? withoutEmpty({ type: types.stdio, command: entry.command, args: entry.args, env: entry.env, cwd: entry.cwd })
        : withoutEmpty({ type: types[entry.kind], url: entry.url, headers: entry.headers }),
  };
}

/** Claude Desktop's file holds only commands; servers at a URL are entered in its settings. */
const desktop: Dialect = {
  read: (fields) => readCommon(fields, PLAIN),
  write(_, entry) {
    if (entry.kind !== 'stdio') throw new Error('Claude Desktop takes servers at a URL as connectors, in its settings');
    return withoutEmpty({ command: entry.command, args: entry.args, env: entry.env });
  },
};

const goose: Dialect = {
  read: (fields) =>
    ['builtin', 'platform'].includes(String(fields['type']))
      ? undefined
      : readCommon(fields, { command: 'cmd', env: 'envs', url: 'uri' }),
  write: (name, entry) =>
    entry.kind === 'stdio'
      ? withoutEmpty({
          name,
          type: 'stdio',
          cmd: entry.command,
          args: entry.args,
          envs: entry.env,
          enabled: true,
          timeout: 300,
        })
      : withoutEmpty({
          name,
          type: entry.kind === 'sse' ? 'sse' : 'streamable_http',
          uri: entry.url,
          headers: entry.headers,
          enabled: true,
          timeout: 300,
        }),
};

export const DIALECTS = {
  desktop,
  claudeCode: common({ http: 'http', sse: 'sse' }),
  vscode: common({ stdio: 'stdio', http: 'http', sse: 'sse' }),
  cursor: common({}),
  goose,
} as const satisfies Record<string, Dialect>;
