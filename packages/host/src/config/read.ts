import { resolve } from 'node:path';
import process from 'node:process';
import { ConfigError, shown } from './config-error.ts';
import {
  type Data,
  type Document,
  given,
  isFields,
  member,
  type Path,
  positionAt,
  type Syntax,
  syntaxOf,
} from './document.ts';
import { createEntry, type Entry, flag } from './fields.ts';
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

/** What a configuration says. One bad entry never loses the others: it is a problem. */
export interface ReadServers {
  /** Those that can be started, in the order of the document. Variables in them are not put in yet. */
  readonly servers: ServerConfig[];
  /** What a person is asked for. */
  readonly inputs: Input[];
  /** What is left out or not heeded, and what to do about it. */
  readonly problems: Problem[];
}

export interface ReadOptions {
  /** Who wrote it. Default `project`: the one that may less. */
  readonly trust?: ConfigSource['trust'];
  /** The folder whose servers count as well, where a document has some by project (`~/.claude.json`). Default: the working folder. */
  readonly folder?: string;
}

export interface ParseOptions extends ReadOptions {
  /** What to call it in messages and in the source of the servers. */
  readonly file: string;
  /** Default: by the name of the file, or by how the text begins. */
  readonly syntax?: Syntax;
  readonly trust: ConfigSource['trust'];
}

/** The largest configuration that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** The most servers that are read of one. */
const MAX_SERVERS = 200;
/** The longest name of a server. */
const MAX_ALIAS = 100;

const aliasProblem = (alias: string): string | undefined => {
  if (alias.trim() === '' || alias.length > MAX_ALIAS)
    return `A name has 1 to ${MAX_ALIAS} characters. Give it another.`;
  // It is shown to people, and tools are called by it.
  return /[\p{C}\u2028\u2029]/u.test(alias) ? 'Its name has invisible characters. Remove them.' : undefined;
};

const isWithin = (path: Path, outer: Path): boolean => outer.every((piece, index) => path[index] === piece);

/** The server of an entry, where it is whole. */
const serverOf = (entry: Entry, shape: Shape, source: ConfigSource): ServerConfig | undefined => {
  const launch = readLaunch(entry, shape.names);
  const settings = readSettings(entry, shape, source.trust);
  if (launch === undefined || entry.refused()) return undefined;
  const server: ServerConfig = { alias: entry.alias, launch, ...settings, source };
  // Nobody should be asked whether to start what cannot be.
  for (const { into, message } of variableProblems(server)) entry.refuse(into, message);
  return entry.refused() ? undefined : server;
};

interface Found {
  readonly alias: string;
  readonly server?: ServerConfig;
  readonly problems: readonly Problem[];
}

/** By server, the shortest path in it that is there more than once. */
const repeatedIn = ({ path }: Group, { repeated }: Document): ReadonlyMap<string, Path> => {
  const found = new Map<string, Path>();
  for (const { path: twice } of repeated) {
    if (twice.length <= path.length || !isWithin(twice, path)) continue;
    const alias = String(twice[path.length]);
    if (twice.length < (found.get(alias)?.length ?? Infinity)) found.set(alias, twice);
  }
  return found;
};

/** What is wrong with an entry as a whole. `twice`: what is there more than once, in it or all of it. */
const checkEntry = (entry: Entry, data: Data, twice: Path | undefined): void => {
  const badAlias = aliasProblem(entry.alias);
  if (badAlias !== undefined) entry.refuse([], badAlias);
  else if (twice?.length === 0) {
    entry.refuse([], 'There are several servers of this name, and which one is meant is unknown. Give each its own.');
  } else if (twice !== undefined) {
    entry.refuse(twice, 'This is there twice, and which one counts is unknown. Leave one.');
  } else if (!isFields(data)) entry.refuse([], 'This is no object. Write { "command": "…" } or { "url": "…" }.');
  flag(entry, 'disabled');
  flag(entry, 'enabled');
};

const readGroup = (group: Group, document: Document, source: ConfigSource): Found[] => {
  const repeated = repeatedIn(group, document);
  return Object.entries(group.entries).flatMap(([alias, data]): Found[] => {
    const fields = isFields(data) ? data : {};
    const path = [...group.path, alias];
    const twice = repeated.get(alias)?.slice(path.length);
    const off = member(fields, 'disabled') === true || member(fields, 'enabled') === false;
    // The person turned it off: whatever else it says is of no interest.
    if (off && twice?.length !== 0) return [];
    const entry = createEntry(alias, fields, path);
    checkEntry(entry, data, twice);
    const adapted: Entry = { ...entry, fields: group.shape.adapt?.(fields, entry) ?? fields };
    const server = entry.refused() ? undefined : serverOf(adapted, group.shape, source);
    return [{ alias, problems: entry.problems, ...(server === undefined ? {} : { server }) }];
  });
};

/** All servers of a document. Of those for this project and for all, the ones of the project count. */
const readGroups = (groups: readonly Group[], document: Document, source: ConfigSource): Found[] => {
  const [first = [], second = []] = groups.map((group) => readGroup(group, document, source));
  const taken = new Set(first.map(({ alias }) => alias));
  return [...first, ...second.filter(({ alias }) => !taken.has(alias))];
};

/** Servers under a member that is there twice would be half of them. */
const refuseHalves = (document: Document, paths: readonly Path[], text: string, file: string): void => {
  const half = document.repeated.find(({ path }) =>
    paths.some((whole) => path.length <= whole.length && isWithin(whole, path)),
  );
  if (half === undefined) return;
  throw new ConfigError(`"${shown(String(half.path.at(-1)))}" is there twice. Put what is in both into one.`, {
    file,
    at: positionAt(text, half.offset),
  });
};

/** Reads a configuration from its text. Rejects with a `ConfigError`, and with nothing else, where it is no JSON or YAML at all. */
export const parseServers = async (text: string, options: ParseOptions): Promise<ReadServers> => {
  const { file, trust, folder = process.cwd() } = options;
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new ConfigError(`It has more than ${MAX_BYTES} bytes. Take out what does not belong into it.`, { file });
  }
  const plain = text.replace(/^\uFEFF/, '');
  const syntax = options.syntax ?? syntaxOf(file, plain);
  const document = await (syntax === 'json' ? parseJson : parseYaml)(plain, file);
  const { data } = document;
  if (!isFields(data)) {
    throw new ConfigError('It is no object. Write { "mcpServers": { "name": { "command": "…" } } }.', { file });
  }
  const { groups, problems } = groupsOf(data, folder);
  const inputsPath = member(data, 'inputs') === undefined ? ['mcp', 'inputs'] : ['inputs'];
  refuseHalves(document, [...groups.map(({ path }) => path), inputsPath], plain, file);

  const inputs = readInputs(inputsPath.length === 1 ? data['inputs'] : given(given(data, 'mcp'), 'inputs'), inputsPath);
  const found = readGroups(groups, document, { file, trust });
  const most = found.slice(0, MAX_SERVERS);
  const tooMany =
    found.length > MAX_SERVERS
      ? [problem(groups[0]!.path, `Of ${found.length} servers, only the first ${MAX_SERVERS} are read. Take some out.`)]
      : [];
  return {
    servers: most.map(({ server }) => server).filter((server) => server !== undefined),
    inputs: inputs.inputs,
    problems: [...problems, ...inputs.problems, ...tooMany, ...most.flatMap((one) => one.problems)],
  };
};

/** Reads a configuration of MCP servers, in the format of any host. Rejects with a `ConfigError` where it cannot be read at all. */
export const readServers = async (path: string, options: ReadOptions = {}): Promise<ReadServers> => {
  const file = resolve(path);
  return parseServers(await readText(file, MAX_BYTES), { ...options, file, trust: options.trust ?? 'project' });
};
