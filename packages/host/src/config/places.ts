// The locations of servers in a document, and their format there.
import { resolve } from 'node:path';
import { type Data, type Fields, presentMember, isFields, type Path } from './document.ts';
import { type Problem, problem } from './problem.ts';
import { CODEX, COMMON, COPILOT, GEMINI, GOOSE, MCP_AGENT, OPENCODE, type Shape, VSCODE, ZED } from './shapes.ts';

/** A member of a document that contains servers, and how they are written. */
export interface Group {
  readonly path: Path;
  readonly entries: Fields;
  readonly shape: Shape;
  /** Names of servers that are turned off elsewhere in the document, by the path of the list that does. */
  readonly off: ReadonlyMap<string, Path>;
}

interface Place {
  readonly path: readonly string[];
  /** The format of its servers. Undefined: it contains no servers. */
  shapeOf(entries: Fields, file: string): Shape | undefined;
}

function isOpencode(entry: Data): boolean {
  return ['local', 'remote'].includes(String(presentMember(entry, 'type')));
}

/** The files of Gemini CLI and Qwen Code. Their servers differ from others only in the syntax of variables. */
const GEMINI_FILES = /(?:^|[\\/])(?:\.(?:gemini|qwen)[\\/]settings|(?:gemini|qwen)-extension)\.json$/;

/** The files of Copilot CLI: that of the user, and that of a repository. */
const COPILOT_FILES = /(?:^|[\\/])\.(?:copilot[\\/]mcp-config|github[\\/]mcp)\.json$/;

function shapeOfFile(file: string): Shape {
  if (GEMINI_FILES.test(file)) return GEMINI;
  return COPILOT_FILES.test(file) ? COPILOT : COMMON;
}

/** The members that can contain servers, in order of precedence. */
const PLACES: readonly Place[] = [
  { path: ['mcpServers'], shapeOf: (_, file) => shapeOfFile(file) },
  {
    path: ['mcp', 'servers'],
    shapeOf(entries) {
      const all = Object.values(entries);
      if (all.some(isOpencode)) return OPENCODE;
      // The settings of VS Code have them here, too, and write `type` where mcp-agent writes `transport`.
      return all.some((entry) => presentMember(entry, 'type') !== undefined) ? VSCODE : MCP_AGENT;
    },
  },
  { path: ['servers'], shapeOf: () => VSCODE },
  { path: ['extensions'], shapeOf: () => GOOSE },
  { path: ['mcp_servers'], shapeOf: () => CODEX },
  { path: ['context_servers'], shapeOf: () => ZED },
  // Other documents have settings in a member of this name.
  { path: ['mcp'], shapeOf: (entries) => (Object.values(entries).some(isOpencode) ? OPENCODE : undefined) },
];

function memberAt(data: Data, path: readonly string[]): Data | undefined {
  return path.reduce<Data | undefined>((inside, name) => presentMember(inside, name), data);
}

/** The lists of Gemini CLI and Qwen Code that turn servers off: `mcp.excluded`, and those that are not in `mcp.allowed`. */
function listedOff(data: Data, entries: Fields): ReadonlyMap<string, Path> {
  const [excluded, allowed] = ['excluded', 'allowed'].map((name) => memberAt(data, ['mcp', name]));
  const off = new Map<string, Path>();
  for (const alias of Object.keys(entries)) {
    if (Array.isArray(excluded) && excluded.includes(alias)) off.set(alias, ['mcp', 'excluded']);
    else if (Array.isArray(allowed) && !allowed.includes(alias)) off.set(alias, ['mcp', 'allowed']);
  }
  return off;
}

/** `projects[folder].mcpServers` of `~/.claude.json`. */
function projectOf(data: Data, folder: string): Group | undefined {
  const projects = presentMember(data, 'projects');
  if (!isFields(projects)) return undefined;
  const name = Object.keys(projects).find((path) => resolve(path) === resolve(folder));
  const entries = name === undefined ? undefined : presentMember(projects[name], 'mcpServers');
  return name !== undefined && isFields(entries)
    ? { path: ['projects', name, 'mcpServers'], entries, shape: COMMON, off: new Map() }
    : undefined;
}

/** Finds the servers of a document. Those of the project of this folder come first, and take precedence. */
export function groupsOf(
  data: Data,
  folder: string,
  file: string,
): { groups: readonly Group[]; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const found = PLACES.flatMap(({ path, shapeOf }) => {
    const entries = memberAt(data, path);
    const shape = isFields(entries) ? shapeOf(entries, file) : COMMON;
    return entries === undefined ||
      shape === undefined ||
      (path.length === 1 && path[0] === 'mcp' && !isFields(entries))
      ? []
      : [{ path, entries, shape }];
  });
  const [first, ...others] = found;
  for (const { path } of others) {
    const both = `There are also servers under "${first!.path.join('.')}", and only those are read.`;
    problems.push(problem(path, `${both} Move all of them there.`));
  }
  const project = projectOf(data, folder);
  const groups: Group[] = project === undefined ? [] : [project];
  if (first !== undefined && isFields(first.entries))
    groups.push({ ...first, entries: first.entries, off: listedOff(data, first.entries) });
  else if (first !== undefined) {
    problems.push(problem(first.path, 'This is not an object, and is ignored. Write { "name": { "command": "…" } }.'));
  } else if (!isFields(presentMember(data, 'projects'))) {
    problems.push(problem([], 'There are no servers in it. Write them under "mcpServers".'));
  }
  return { groups, problems };
}
