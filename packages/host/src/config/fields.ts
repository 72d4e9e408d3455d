import { shown } from './config-error.ts';
import { type Data, type Fields, presentMember, isFields, type Path } from './document.ts';
import { type Problem, problem } from './problem.ts';

/** The entry of a server while it is read: its members, and the problems found so far. */
export interface Entry {
  readonly alias: string;
  readonly fields: Fields;
  /** The problems found so far. */
  readonly problems: readonly Problem[];
  /** Whether the server was refused, and so is left out. */
  refused(): boolean;
  /** Reports a problem, and leaves the server out. An empty path stands for the whole entry. */
  refuse(member: string | Path, message: string): undefined;
  /** Reports a problem with a member that is ignored; the server is still used. */
  note(member: string, message: string): undefined;
}

/** Maximum problems of one server. */
const MAX_PROBLEMS = 20;

export function createEntry(alias: string, fields: Fields, path: Path): Entry {
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
}

/** Describes the type of a value, for messages. */
function describeType(data: Data): string {
  if (data === null) return 'nothing';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'an object';
  if (typeof data === 'boolean') return `${data} without quotes`;
  return typeof data === 'number' ? 'a number without quotes' : 'a string';
}

/** The text at a path. Refuses the server if the value is not a valid text. */
function validText(entry: Entry, path: Path, data: Data): string | undefined {
  const name = shown(path.join('.'));
  if (typeof data !== 'string')
    return entry.refuse(path, `"${name}" is ${describeType(data)}. Write a string in quotes.`);
  // No program can receive a NUL character.
  if (data.includes('\0')) return entry.refuse(path, `"${name}" has a NUL character. Remove it.`);
  return data;
}

/** Reads a non-empty text. */
export function textField(entry: Entry, name: string): string | undefined {
  const data = presentMember(entry.fields, name);
  if (data === undefined) return undefined;
  const found = validText(entry, [name], data);
  return found?.trim() === '' ? entry.refuse(name, `"${name}" is empty. Write a value, or remove it.`) : found;
}

/** Reads a list of texts. */
export function textListField(
  entry: Entry,
  name: string,
  of: Fields = entry.fields,
  at: Path = [],
): string[] | undefined {
  const data = presentMember(of, name);
  if (data === undefined) return undefined;
  if (!Array.isArray(data)) {
    return entry.refuse([...at, name], `"${name}" is ${describeType(data)}. Write a list of strings: ["…", "…"].`);
  }
  const found = (data as readonly Data[]).map((item, index) => validText(entry, [...at, name, index], item));
  return found.filter((item) => item !== undefined);
}

/** Reads texts by name. Integers are accepted, too. */
export function textMapField(
  entry: Entry,
  name: string,
  of: Fields = entry.fields,
  at: Path = [],
): Record<string, string> | undefined {
  const data = presentMember(of, name);
  if (data === undefined) return undefined;
  if (!isFields(data)) {
    return entry.refuse([...at, name], `"${name}" is ${describeType(data)}. Write an object: { "NAME": "…" }.`);
  }
  const found = Object.entries(data).map(([key, value]): [string, string | undefined] => [
    key,
    validText(entry, [...at, name, key], typeof value === 'number' && Number.isSafeInteger(value) ? `${value}` : value),
  ]);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Reads a boolean. */
export function booleanField(entry: Entry, name: string): boolean | undefined {
  const data = presentMember(entry.fields, name);
  if (data === undefined || typeof data === 'boolean') return data;
  return entry.refuse(name, `"${name}" is ${describeType(data)}. Write true or false without quotes.`);
}

/** The maximum delay of a timer. */
const MAX_MS = 2 ** 31 - 1;

/** Reads a time, in milliseconds. `unit`: the unit of the member, in milliseconds. */
export function durationField(entry: Entry, name: string, unit: 1 | 1000): number | undefined {
  const data = presentMember(entry.fields, name);
  if (data === undefined) return undefined;
  const found = typeof data === 'number' ? data * unit : Number.NaN;
  if (Number.isFinite(found) && found >= 1 && found <= MAX_MS) return Math.round(found);
  const what = unit === 1 ? 'milliseconds' : 'seconds';
  return entry.refuse(
    name,
    `"${name}" is not a valid time. Write a number of ${what}, at least 1 and at most ${MAX_MS / unit}.`,
  );
}
