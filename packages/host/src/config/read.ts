import { resolve } from 'node:path';
import process from 'node:process';
import { ConfigError, shown } from './config-error.ts';
import {
  type Document,
  type Fields,
  presentMember,
  isFields,
  member,
  type Path,
  positionAt,
  type Syntax,
  syntaxOf,
} from './document.ts';
import { type Input, readInputs } from './inputs.ts';
import { parseJson } from './json-document.ts';
import { type Problem, pathText, problem } from './problem.ts';
import { readText } from './read-text.ts';
import type { ConfigSource, ServerConfig } from './server-config.ts';
import { type Group, groupsOf } from './places.ts';
import { readEntry } from './read-entry.ts';
import { parseToml } from './toml-document.ts';
import { parseYaml } from './yaml-document.ts';

/** The content of a configuration. An invalid entry is reported as a problem, and does not affect the others. */
export interface ReadServers {
  /** The valid servers, in the order of the document. Variables are not filled in yet. */
  readonly servers: ServerConfig[];
  /** The inputs that a person is asked for. */
  readonly inputs: Input[];
  /** The parts that are left out or ignored, and what to do about it. */
  readonly problems: Problem[];
  /** The servers that the configuration turns off. They are not read. */
  readonly off: OffServer[];
}

/** A server that its configuration turns off. */
export interface OffServer {
  /** The name of the server. */
  readonly alias: string;
  /** The path of the member that turns it off: `mcpServers.github.disabled`. */
  readonly path: string;
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

const PARSERS = { json: parseJson, yaml: parseYaml, toml: parseToml } as const;

/** Maximum size of a configuration, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** Maximum servers of a configuration. */
const MAX_SERVERS = 200;

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((piece, index) => path[index] === piece);
}

interface EntryResult {
  readonly alias: string;
  readonly server?: ServerConfig | undefined;
  readonly problems: readonly Problem[];
  /** The member that turns it off. */
  readonly off?: OffServer;
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

/** The member that turns a server off, relative to its entry. */
function offMember(fields: Fields): string | undefined {
  if (member(fields, 'disabled') === true) return 'disabled';
  return member(fields, 'enabled') === false ? 'enabled' : undefined;
}

function readGroup(group: Group, document: Document, source: ConfigSource): EntryResult[] {
  const duplicates = duplicatesIn(group, document);
  return Object.entries(group.entries).map(([alias, data]): EntryResult => {
    const path = [...group.path, alias];
    const duplicate = duplicates.get(alias)?.slice(path.length);
    const turned = offMember(isFields(data) ? data : {});
    const off = group.off.get(alias) ?? (turned === undefined ? undefined : [...path, turned]);
    // The server is turned off, so its other problems do not matter.
    if (off !== undefined && duplicate?.length !== 0)
      return { alias, problems: [], off: { alias, path: pathText(off) } };
    return { alias, ...readEntry({ alias, data, path, shape: group.shape, source, duplicate }) };
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
 * YAML nor TOML, is not an object, or is longer than 1 MiB. An invalid server is reported as a problem, and only that server is left out.
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
  const document = await PARSERS[syntax](plain, file);
  const { data } = document;
  if (!isFields(data)) {
    throw new ConfigError(
      'invalid-config',
      'It is not an object. Write { "mcpServers": { "name": { "command": "…" } } }.',
      { file },
    );
  }
  const { groups, problems } = groupsOf(data, folder, file);
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
    off: included.map(({ off }) => off).filter((off) => off !== undefined),
  };
}

/**
 * Reads a file that configures MCP servers, in the format of any host. Rejects with a `ConfigError` if it cannot be read at all. An invalid
 * server is reported as a problem, and only that server is left out.
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
