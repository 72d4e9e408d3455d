import { resolve } from 'node:path';
import { type Data, type Fields, presentMember, isFields, type Path } from './document.ts';
import type { Entry } from './fields.ts';
import type { Names } from './launch.ts';
import { type Problem, problem } from './problem.ts';
import type { Dialect } from './settings.ts';

/** The format of the servers in one member of a document. */
export interface Shape extends Dialect {
  readonly names: Names;
  /** Converts an entry to the common format. */
  adapt?(fields: Fields, entry: Pick<Entry, 'refuse'>): Fields;
}

/** A member of a document that contains servers, and its format. */
export interface Group {
  readonly path: Path;
  readonly entries: Fields;
  readonly shape: Shape;
}

const NAMES: Names = { type: 'type', command: 'command', env: 'env', url: 'url' };

/** `mcpServers` of Claude, Cursor, MCP Inspector, our own and many more; `servers` of VS Code. */
const COMMON: Shape = { names: NAMES, timeoutUnit: 1 };

const MCP_AGENT: Shape = {
  names: { ...NAMES, type: 'transport' },
  timeoutUnit: 1,
  timeoutSeconds: ['read_timeout_seconds', 'http_timeout_seconds'],
  allowed: { name: 'allowed_tools', emptyIsAll: false },
};

const GOOSE: Shape = {
  names: { type: 'type', command: 'cmd', env: 'envs', url: 'uri' },
  timeoutUnit: 1000,
  allowed: { name: 'available_tools', emptyIsAll: true },
  adapt(fields, entry) {
    const { type } = fields;
    if (typeof type === 'string' && ['builtin', 'platform', 'frontend', 'inline_python'].includes(type)) {
      entry.refuse('type', `An extension of the "type" ${type} is part of goose. Use it in goose.`);
    }
    // Goose keeps their values in its keyring. Here they are environment variables.
    const keys = presentMember(fields, 'env_keys');
    const own = presentMember(fields, 'envs');
    if (!Array.isArray(keys) || (own !== undefined && !isFields(own))) return fields;
    const names = (keys as readonly Data[]).filter((key) => typeof key === 'string');
    const kept = Object.fromEntries(names.map((name): [string, Data] => [name, `\${env:${name}}`]));
    return names.length === 0 || presentMember(fields, 'uri') !== undefined
      ? fields
      : { ...fields, envs: { ...kept, ...own } };
  },
};

/** The members that can contain servers, in order of precedence. */
const PLACES: readonly { readonly path: readonly string[]; readonly shape: Shape }[] = [
  { path: ['mcpServers'], shape: COMMON },
  { path: ['mcp', 'servers'], shape: MCP_AGENT },
  { path: ['servers'], shape: COMMON },
  { path: ['extensions'], shape: GOOSE },
];

function memberAt(data: Data, path: readonly string[]): Data | undefined {
  return path.reduce<Data | undefined>((inside, name) => presentMember(inside, name), data);
}

/** The settings of VS Code have `mcp.servers` too, and write `type` where mcp-agent writes `transport`. */
function shapeOf(shape: Shape, entries: Fields): Shape {
  return shape === MCP_AGENT && Object.values(entries).some((entry) => presentMember(entry, 'type') !== undefined)
    ? COMMON
    : shape;
}

/** `projects[folder].mcpServers` of `~/.claude.json`. */
function projectOf(data: Data, folder: string): Group | undefined {
  const projects = presentMember(data, 'projects');
  if (!isFields(projects)) return undefined;
  const name = Object.keys(projects).find((path) => resolve(path) === resolve(folder));
  const entries = name === undefined ? undefined : presentMember(projects[name], 'mcpServers');
  return name !== undefined && isFields(entries)
    ? { path: ['projects', name, 'mcpServers'], entries, shape: COMMON }
    : undefined;
}

/** Finds the servers of a document. Those of the project of this folder come first, and take precedence. */
export function groupsOf(data: Data, folder: string): { groups: readonly Group[]; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const found = PLACES.filter(({ path }) => memberAt(data, path) !== undefined);
  const [first, ...others] = found;
  for (const { path } of others) {
    const both = `There are also servers under "${first!.path.join('.')}", and only those are read.`;
    problems.push(problem(path, `${both} Move all of them there.`));
  }
  const project = projectOf(data, folder);
  const groups: Group[] = project === undefined ? [] : [project];
  const entries = first === undefined ? undefined : memberAt(data, first.path);
  if (isFields(entries)) groups.push({ path: first!.path, entries, shape: shapeOf(first!.shape, entries) });
  else if (first !== undefined) {
    problems.push(problem(first.path, 'This is not an object, and is ignored. Write { "name": { "command": "…" } }.'));
  } else if (!isFields(presentMember(data, 'projects'))) {
    problems.push(problem([], 'There are no servers in it. Write them under "mcpServers".'));
  }
  return { groups, problems };
}
