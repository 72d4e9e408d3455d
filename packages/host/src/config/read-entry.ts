import { type Data, isFields, type Path, presentMember } from './document.ts';
import { booleanField, createEntry, type Entry } from './fields.ts';
import { type Names, readLaunch } from './launch.ts';
import type { Problem } from './problem.ts';
import type { ConfigSource, ServerConfig } from './server-config.ts';
import { readSettings } from './settings.ts';
import type { Shape } from './shapes.ts';
import { variableProblems } from './variables.ts';

/** The entry of a server in a document. */
export interface WrittenEntry {
  readonly alias: string;
  readonly data: Data;
  /** Its path in the document. */
  readonly path: Path;
  readonly shape: Shape;
  readonly source: ConfigSource;
  /** The path of a duplicate member, relative to the entry; empty if the alias itself is a duplicate. */
  readonly duplicate?: Path | undefined;
}

/** Maximum length of an alias. */
const MAX_ALIAS = 100;

function aliasProblem(alias: string): string | undefined {
  if (alias.trim() === '' || alias.length > MAX_ALIAS)
    return `A name must have 1 to ${MAX_ALIAS} characters. Choose another.`;
  // The alias is shown to people, and is part of the names of tools.
  return /[\p{C}\u2028\u2029]/u.test(alias) ? 'Its name has invisible characters. Remove them.' : undefined;
}

/** Checks an entry as a whole. */
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

/** The names of the members, with the one of the URL that the entry uses. */
function namesOf(entry: Entry, { names, urls = [] }: Shape): Names {
  const [first, second] = [names.url, ...urls].filter((name) => presentMember(entry.fields, name) !== undefined);
  if (second !== undefined) entry.refuse([], `It has both "${first}" and "${second}". Remove one of them.`);
  return first === undefined ? names : { ...names, url: first };
}

/** Reads the entry of a server. The server is undefined if it was refused, with the reason among the problems. */
export function readEntry({ alias, data, path, shape, source, duplicate }: WrittenEntry): {
  readonly server: ServerConfig | undefined;
  readonly problems: readonly Problem[];
} {
  const fields = isFields(data) ? data : {};
  const entry = createEntry(alias, fields, path);
  checkEntry(entry, data, duplicate);
  const adapted: Entry = { ...entry, fields: shape.adapt?.(fields, entry) ?? fields };
  const server = entry.refused() ? undefined : serverOf(adapted, shape, source);
  return { server, problems: entry.problems };
}

/** Reads the server of an entry. Undefined if it was refused. */
function serverOf(entry: Entry, shape: Shape, source: ConfigSource): ServerConfig | undefined {
  const launch = readLaunch(entry, namesOf(entry, shape));
  const settings = readSettings(entry, shape, source.trust);
  if (launch === undefined || entry.refused()) return undefined;
  const server: ServerConfig = { alias: entry.alias, launch, ...settings, source };
  // Before a person is asked whether to start it.
  for (const { into, message } of variableProblems(server)) entry.refuse(into, message);
  return entry.refused() ? undefined : server;
}
