import { resolve } from 'node:path';
import process from 'node:process';
import { ConfigError, shown } from './config-error.ts';
import {
  type Data,
  type Document,
  presentMember,
  isFields,
  member,
  type Path,
  positionAt,
  type Syntax,
  syntaxOf,
} from './document.ts';
import { createEntry, type Entry, booleanField } from './fields.ts';
import { type Input, readInputs } from './inputs.ts';
import { parseJson } from './json-document.ts';
import { readLaunch } from './launch.ts';
import { type Problem, problem } from './problem.ts';
import { readText } from './read-text.ts';
import type { ConfigSource, ServerConfig } from './server-config.ts';
import { readSettings } from './settings.ts';
import { type Group, groupsOf, type Shape } from './shapes.ts';
import { variableProblems } from './variables.ts';
import { parseYaml } from './yaml-document.ts';

/** The content of a configuration. An invalid entry is reported as a problem, and does not affect the others. */
export interface ReadServers {
  /** The valid servers, in the order of the document. Variables are not filled in yet. */
  readonly servers: ServerConfig[];
  /** The inputs that a person is asked for. */
  readonly inputs: Input[];
  /** What is left out or ignored, and what to do about it. */
  readonly problems: Problem[];
}

/** Options for reading a configuration. */
export interface ReadOptions {
  /** Who wrote the configuration. Default `project`, which has fewer permissions. */
  readonly trust?: ConfigSource['trust'] | undefined;
  /** The project folder, for documents that list servers by project (`~/.claude.json`). Default: the working folder. */
  readonly folder?: string | undefined;
}

/** Options for parsing a configuration. */
export interface ParseOptions extends ReadOptions {
  /** The file name for messages, and for the source of the servers. */
  readonly file: string;
  /** Default: according to the extension of the file, or the first character of the text. */
  readonly syntax?: Syntax | undefined;
  /** Who wrote the configuration. Only a `user` can make servers trusted. */
  readonly trust: ConfigSource['trust'];
}

/** Maximum size of a configuration, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** Maximum servers of a configuration. */
const MAX_SERVERS = 200;
/** Maximum length of an alias. */
const MAX_ALIAS = 100;

function aliasProblem(alias: string): string | undefined {
  if (alias.trim() === '' || alias.length > MAX_ALIAS)
    return `A name must have 1 to ${MAX_ALIAS} characters. Choose another.`;
  // The alias is shown to people, and is part of the names of tools.
  return /[\p{C}\u2028\u2029]/u.test(alias) ? 'Its name has invisible characters. Remove them.' : undefined;
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((piece, index) => path[index] === piece);
}

/** Reads the server of an entry. Undefined if it was refused. */
function serverOf(entry: Entry, shape: Shape, source: ConfigSource): ServerConfig | undefined {
  const launch = readLaunch(entry, shape.names);
  const settings = readSettings(entry, shape, source.trust);
  if (launch === undefined || entry.refused()) return undefined;
  const server: ServerConfig = { alias: entry.alias, launch, ...settings, source };
  // Before a person is asked whether to start it.
  for (const { into, message } of variableProblems(server)) entry.refuse(into, message);
  return entry.refused() ? undefined : server;
}

interface EntryResult {
  readonly alias: string;
  readonly server?: ServerConfig;
  readonly problems: readonly Problem[];
}

/** The duplicate members in each server: of several, that with the shortest path. */
function duplicatesIn({ path }: Group, { duplicates }: Document): ReadonlyMap<string, Path> {
  const found = new Map<string, Path>();
  for (const { path: duplicate } of duplicates) {
    if (duplicate.length <= path.length || !isWithin(duplicate, path)) continue;
    const alias = String(duplicate[path.length]);
    if (duplicate.length < (found.get(alias)?.length ?? Infinity)) found.set(alias, duplicate);
  }
  return found;
}

/** Checks an entry as a whole. `twice`: the path of a duplicate member, empty if the alias itself is a duplicate. */
function checkEntry(entry: Entry, data: Data, duplicate: Path | undefined): void {
  const badAlias = aliasProblem(entry.alias);
  if (badAlias !== undefined) entry.refuse([], badAlias);
  else if (duplicate?.length === 0) {
    entry.refuse([], 'Several servers have this name. Give each its own.');
  } else if (duplicate !== undefined) {
    entry.refuse(duplicate, 'This is there twice. Keep one.');
  } else if (!isFields(data)) entry.refuse([], 'This is not an object. Write { "command": "…" } or { "url": "…" }.');
  booleanField(entry, 'disabled');
  booleanField(entry, 'enabled');
}

function readGroup(group: Group, document: Document, source: ConfigSource): EntryResult[] {
  const duplicates = duplicatesIn(group, document);
  return Object.entries(group.entries).flatMap(([alias, data]): EntryResult[] => {
    const fields = isFields(data) ? data : {};
    const path = [...group.path, alias];
    const duplicate = duplicates.get(alias)?.slice(path.length);
    const off = member(fields, 'disabled') === true || member(fields, 'enabled') === false;
    // The server is turned off, so its other problems do not matter.
    if (off && duplicate?.length !== 0) return [];
    const entry = createEntry(alias, fields, path);
    checkEntry(entry, data, duplicate);
    const adapted: Entry = { ...entry, fields: group.shape.adapt?.(fields, entry) ?? fields };
    const server = entry.refused() ? undefined : serverOf(adapted, group.shape, source);
    return [{ alias, problems: entry.problems, server }];
  });
}

/** Reads all servers of a document. Those of the project take precedence. */
function readGroups(groups: readonly Group[], document: Document, source: ConfigSource): EntryResult[] {
  const [first = [], second = []] = groups.map((group) => readGroup(group, document, source));
  const taken = new Set(first.map(({ alias }) => alias));
  return [...first, ...second.filter(({ alias }) => !taken.has(alias))];
}

/** Throws if a member that contains servers is a duplicate: some of the servers would be lost. */
function rejectDuplicateContainers(document: Document, paths: readonly Path[], text: string, file: string): void {
  const duplicate = document.duplicates.find(({ path }) =>
    paths.some((whole) => path.length <= whole.length && isWithin(whole, path)),
  );
  if (duplicate === undefined) return;
  throw new ConfigError(
    'invalid-config',
    `"${shown(String(duplicate.path.at(-1)))}" is there twice. Merge both into one.`,
    {
      file,
      at: positionAt(text, duplicate.offset),
    },
  );
}

/**
 * Parses a configuration of MCP servers, in the format of any host. Rejects only with a `ConfigError`: for a text that is neither JSON nor
 * YAML, is no object, or is longer than 1 MiB. What is wrong with one server is a problem, and leaves out only that server.
 *
 * @example
 * ```ts
 * import { parseServers } from '@tenon/host';
 *
 * const text = '{ "mcpServers": { "travel": { "command": "node", "args": ["travel.js"] } } }';
 * const { servers, problems } = await parseServers(text, { file: 'settings.json', trust: 'user' });
 * for (const { path, message } of problems) console.error(`${path}: ${message}`);
 * ```
 */
export async function parseServers(text: string, options: ParseOptions): Promise<ReadServers> {
  const { file, trust, folder = process.cwd() } = options;
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new ConfigError('too-large', `It has more than ${MAX_BYTES} bytes. Remove what does not belong in it.`, {
      file,
    });
  }
  const plain = text.replace(/^\uFEFF/, '');
  const syntax = options.syntax ?? syntaxOf(file, plain);
  const document = await (syntax === 'json' ? parseJson : parseYaml)(plain, file);
  const { data } = document;
  if (!isFields(data)) {
    throw new ConfigError(
      'invalid-config',
      'It is not an object. Write { "mcpServers": { "name": { "command": "…" } } }.',
      { file },
    );
  }
  const { groups, problems } = groupsOf(data, folder);
  const inputsPath = member(data, 'inputs') === undefined ? ['mcp', 'inputs'] : ['inputs'];
  rejectDuplicateContainers(document, [...groups.map(({ path }) => path), inputsPath], plain, file);

  const inputs = readInputs(
    inputsPath.length === 1 ? data['inputs'] : presentMember(presentMember(data, 'mcp'), 'inputs'),
    inputsPath,
  );
  const found = readGroups(groups, document, { file, trust });
  const included = found.slice(0, MAX_SERVERS);
  const tooMany =
    found.length > MAX_SERVERS
      ? [problem(groups[0]!.path, `Of ${found.length} servers, only the first ${MAX_SERVERS} are read. Remove some.`)]
      : [];
  return {
    servers: included.map(({ server }) => server).filter((server) => server !== undefined),
    inputs: inputs.inputs,
    problems: [...problems, ...inputs.problems, ...tooMany, ...included.flatMap((one) => one.problems)],
  };
}

/**
 * Reads a file that configures MCP servers, in the format of any host. Rejects with a `ConfigError` if it cannot be read at all. What is
 * wrong with one server is a problem, and leaves out only that server.
 *
 * @example
 * ```ts
 * import { createHost, readServers } from '@tenon/host';
 *
 * const { servers, problems } = await readServers('.mcp.json');
 * for (const { path, message } of problems) console.error(`${path}: ${message}`);
 * const host = await createHost({ servers });
 * ```
 */
export async function readServers(path: string, options: ReadOptions = {}): Promise<ReadServers> {
  const file = resolve(path);
  return parseServers(await readText(file, MAX_BYTES), { ...options, file, trust: options.trust ?? 'project' });
}
