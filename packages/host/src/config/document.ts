import { ConfigError, type Position } from './config-error.ts';

/** The data of a document in either syntax. Objects have own members only: `__proto__` is an ordinary name. */
export type Data = null | boolean | number | string | readonly Data[] | { readonly [name: string]: Data };

export type Fields = { readonly [name: string]: Data };

export type Path = readonly (string | number)[];

/** A duplicate member of an object: parsers differ in which of the values they use. */
export interface Duplicate {
  readonly path: Path;
  readonly offset: number;
}

export interface Document {
  readonly data: Data;
  readonly duplicates: readonly Duplicate[];
}

/** The syntax of a configuration. JSON may have comments and trailing commas. */
export type Syntax = 'json' | 'yaml' | 'toml';

/** Maximum nesting depth: more than any configuration needs, and safe for recursion. */
export const MAX_DEPTH = 64;

export function isFields(data: Data | undefined): data is Fields {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

/** An own member of an object. */
export function member(data: Data | undefined, name: string): Data | undefined {
  return isFields(data) && Object.hasOwn(data, name) ? data[name] : undefined;
}

/** An own member that is not null: hosts write null for values that are not set. */
export function presentMember(data: Data | undefined, name: string): Data | undefined {
  return member(data, name) ?? undefined;
}

/** The position of an offset. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** In TOML, the first line that is not a comment is a table or a member with `=`. In YAML that would be a list, or a plain text. */
const TOML_START = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:\[{1,2}[ \t]*[\w.-]+[ \t]*\]|[\w.-]+[ \t]*=)/;

/** The syntax of a text: by the extension of its file, otherwise by its beginning. */
export function syntaxOf(file: string, text: string): Syntax {
  if (/\.ya?ml$/i.test(file)) return 'yaml';
  if (/\.jsonc?$/i.test(file)) return 'json';
  if (/\.toml$/i.test(file) || TOML_START.test(text)) return 'toml';
  const skip = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
  let at = 0;
  while (skip.test(text)) at = skip.lastIndex;
  return text[at] === '{' || text[at] === '[' ? 'json' : 'yaml';
}

/** Collects the members of an object, and the duplicate ones. The last value of a name is used. */
export function collectMembers(
  members: Iterable<{ readonly name: string; readonly offset: number; data(): Data }>,
  { path, duplicates }: { path: Path; duplicates: Duplicate[] },
): Fields {
  const found = new Map<string, Data>();
  for (const { name, offset, data } of members) {
    if (found.has(name)) duplicates.push({ path: [...path, name], offset });
    found.set(name, data());
  }
  return Object.fromEntries(found);
}

export function tooDeep(file: string, at?: Position): ConfigError {
  return new ConfigError(
    'too-large',
    `It has more than ${MAX_DEPTH} levels of nesting. Remove what does not belong in it.`,
    {
      file,
      at,
    },
  );
}
