import { isDeepStrictEqual } from 'node:util';
import type { Format } from '@tenon/host/formats';
import { type Document, type DocumentContent, type Fields, isFields, type ReadSyntax } from './document.ts';
import { changeFile, type Plan, readText } from './file.ts';

/** The properties of a format that an edit needs. */
type Kind = Pick<Format, 'syntax' | 'member'>;

/** Each loads its library only when a file of that syntax is read. */
const SYNTAXES: Readonly<Record<Kind['syntax'], () => Promise<ReadSyntax>>> = {
  json: async () => (await import('./json-document.ts')).loadJson(),
  yaml: async () => (await import('./yaml-document.ts')).loadYaml(),
  toml: async () => (await import('./toml-document.ts')).loadToml(),
};

/** The servers of a document by name. Throws if the member that should hold them holds something else. */
function serversIn(data: Fields, member: string): Fields {
  const servers = (Object.hasOwn(data, member) ? data[member] : undefined) ?? {};
  if (!isFields(servers)) throw new Error(`its "${member}" is not an object of servers`);
  return servers;
}

/** The data after a server was set, or removed. */
function withServer(data: Fields, member: string, name: string, fields: Fields | undefined): Fields {
  const others = Object.entries(serversIn(data, member)).filter(([other]) => other !== name);
  return { ...data, [member]: Object.fromEntries(fields === undefined ? others : [...others, [name, fields]]) };
}

/** Parses a text. Throws an `Error` with the reason if it cannot be used. */
export async function parseDocument(text: string, { syntax, member }: Kind): Promise<Document> {
  const read = await SYNTAXES[syntax]();
  const { data, splice } = read(text, member);
  const servers = serversIn(data, member);
  return {
    data,
    servers: () => new Map(Object.entries(servers)),
    set(name, fields) {
      const next = splice(name, fields);
      const isMeant = next !== undefined && isDeepStrictEqual(dataIn(next), withServer(data, member, name, fields));
      if (isMeant) return next;
      throw new Error(`${name} cannot be changed in it without changing the rest: do it by hand`);
    },
  };

  /** The data of an edited text, with its servers even if it has none; undefined if it can no longer be parsed. */
  function dataIn(edited: string): Fields | undefined {
    try {
      const found = read(edited, member).data;
      return { ...found, [member]: serversIn(found, member) };
    } catch {
      return undefined;
    }
  }
}

const EMPTY: DocumentContent = { data: {}, servers: () => new Map() };

/** Reads a host's configuration file; a missing file counts as empty. Throws an `Error` with the reason if it cannot be used. */
export async function readDocument(path: string, kind: Kind): Promise<DocumentContent> {
  const text = await readText(path);
  // Most users have files of few hosts, so no library is loaded for the others.
  return text === '' ? EMPTY : parseDocument(text, kind);
}

/**
 * Changes a host's configuration file. A file that cannot be parsed or changed is left untouched.
 *
 * @param plan called again whenever another program has changed the file meanwhile
 */
export function editDocument<T extends Plan>(path: string, kind: Kind, plan: (document: Document) => T): Promise<T> {
  return changeFile(path, async (text) => plan(await parseDocument(text, kind)));
}
