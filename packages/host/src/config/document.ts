import { ConfigError, type Position } from './config-error.ts';

/** What a document says, in either syntax. Members of objects are their own: `__proto__` is a name like any other. */
export type Data = null | boolean | number | string | readonly Data[] | { readonly [name: string]: Data };

export type Fields = { readonly [name: string]: Data };

export type Path = readonly (string | number)[];

/** A member that an object has more than once: which one counts is for every reader another. */
export interface Repeated {
  readonly path: Path;
  readonly offset: number;
}

export interface Document {
  readonly data: Data;
  readonly repeated: readonly Repeated[];
}

export type Syntax = 'json' | 'yaml';

/** More levels than any configuration has, and few enough for every recursion. */
export const MAX_DEPTH = 64;

export const isFields = (data: Data | undefined): data is Fields =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

/** A member that the object has itself. */
export const member = (data: Data | undefined, name: string): Data | undefined =>
  isFields(data) && Object.hasOwn(data, name) ? data[name] : undefined;

/** A member that the object has itself and that is not null: hosts write null for what is not set. */
export const given = (data: Data | undefined, name: string): Data | undefined => member(data, name) ?? undefined;

/** The line and column of an offset. */
export const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
};

/** The syntax of a text: by the name of its file where that says it, otherwise by how it begins. */
export const syntaxOf = (file: string, text: string): Syntax => {
  if (/\.ya?ml$/i.test(file)) return 'yaml';
  if (/\.jsonc?$/i.test(file)) return 'json';
  const skip = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
  let at = 0;
  while (skip.test(text)) at = skip.lastIndex;
  return text[at] === '{' || text[at] === '[' ? 'json' : 'yaml';
};

/** Gathers the members of one object, and which of them are there more than once. The last one counts. */
export const gather = (
  members: Iterable<{ readonly name: string; readonly offset: number; data(): Data }>,
  { path, repeated }: { path: Path; repeated: Repeated[] },
): Fields => {
  const found = new Map<string, Data>();
  for (const { name, offset, data } of members) {
    if (found.has(name)) repeated.push({ path: [...path, name], offset });
    found.set(name, data());
  }
  return Object.fromEntries(found);
};

export const tooDeep = (file: string, at?: Position): ConfigError =>
  new ConfigError(`It has more than ${MAX_DEPTH} levels. Take out what does not belong into it.`, {
    file,
    ...(at === undefined ? {} : { at }),
  });
