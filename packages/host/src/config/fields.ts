import { shown } from './config-error.ts';
import { type Data, type Fields, given, isFields, type Path } from './document.ts';
import { type Problem, problem } from './problem.ts';

/** One server of a document while it is read: its members, and what is wrong with them. */
export interface Entry {
  readonly alias: string;
  readonly fields: Fields;
  /** What came up so far. */
  readonly problems: readonly Problem[];
  /** It cannot be used. */
  refused(): boolean;
  /** The server is left out because of this member, or because of all of it. */
  refuse(member: string | Path, message: string): undefined;
  /** The server is used, without this. */
  note(member: string, message: string): undefined;
}

/** The most that is said about one server. */
const MAX_PROBLEMS = 20;

export const createEntry = (alias: string, fields: Fields, path: Path): Entry => {
  const problems: Problem[] = [];
  let refused = false;
  const add = (where: Path, message: string): undefined => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem([...path, ...where], message, alias));
  };
  return {
    alias,
    fields,
    problems,
    refused: () => refused,
    refuse(member, message) {
      refused = true;
      return add(typeof member === 'string' ? [member] : member, `${message} The server is left out.`);
    },
    note: (member, message) => add([member], message),
  };
};

/** What a value is, for messages. */
const kindOf = (data: Data): string => {
  if (data === null) return 'nothing';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'an object';
  if (typeof data === 'boolean') return `${data} without quotes`;
  return typeof data === 'number' ? 'a number without quotes' : 'a text';
};

/** The text behind a path, or why there is none. */
const checkedText = (entry: Entry, path: Path, data: Data): string | undefined => {
  const name = shown(path.join('.'));
  if (typeof data !== 'string') return entry.refuse(path, `"${name}" is ${kindOf(data)}. Write a text in quotes.`);
  // No program can be given it.
  if (data.includes('\0')) return entry.refuse(path, `"${name}" has a NUL character. Take it out.`);
  return data;
};

/** A text that is not empty. */
export const text = (entry: Entry, name: string): string | undefined => {
  const data = given(entry.fields, name);
  if (data === undefined) return undefined;
  const found = checkedText(entry, [name], data);
  return found?.trim() === '' ? entry.refuse(name, `"${name}" is empty. Write something, or take it out.`) : found;
};

/** A list of texts. */
export const texts = (entry: Entry, name: string, of: Fields = entry.fields, at: Path = []): string[] | undefined => {
  const data = given(of, name);
  if (data === undefined) return undefined;
  if (!Array.isArray(data)) {
    return entry.refuse([...at, name], `"${name}" is ${kindOf(data)}. Write a list of texts: ["…", "…"].`);
  }
  const found = (data as readonly Data[]).map((item, index) => checkedText(entry, [...at, name, index], item));
  return found.filter((item) => item !== undefined);
};

/** Texts by name. Whole numbers are taken as they are written. */
export const named = (
  entry: Entry,
  name: string,
  of: Fields = entry.fields,
  at: Path = [],
): Record<string, string> | undefined => {
  const data = given(of, name);
  if (data === undefined) return undefined;
  if (!isFields(data)) {
    return entry.refuse([...at, name], `"${name}" is ${kindOf(data)}. Write an object: { "NAME": "…" }.`);
  }
  const found = Object.entries(data).map(([key, value]): [string, string | undefined] => [
    key,
    checkedText(
      entry,
      [...at, name, key],
      typeof value === 'number' && Number.isSafeInteger(value) ? `${value}` : value,
    ),
  ]);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
};

/** Yes or no. */
export const flag = (entry: Entry, name: string): boolean | undefined => {
  const data = given(entry.fields, name);
  if (data === undefined || typeof data === 'boolean') return data;
  return entry.refuse(name, `"${name}" is ${kindOf(data)}. Write true or false without quotes.`);
};

/** The longest time that a timer can wait. */
const MAX_MS = 2 ** 31 - 1;

/** A time in milliseconds, from a member that counts in units of so many. */
export const time = (entry: Entry, name: string, unit: 1 | 1000): number | undefined => {
  const data = given(entry.fields, name);
  if (data === undefined) return undefined;
  const found = typeof data === 'number' ? data * unit : Number.NaN;
  if (Number.isFinite(found) && found >= 1 && found <= MAX_MS) return Math.round(found);
  const what = unit === 1 ? 'milliseconds' : 'seconds';
  return entry.refuse(name, `"${name}" is no time. Write a number of ${what}, at least 1, at most ${MAX_MS / unit}.`);
};
