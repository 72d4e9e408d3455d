import { isObject } from '@tenon/values/is-object';
import { readFileSync } from 'node:fs';
import { Failure, usage } from './failure.ts';
import { InexactNumberError, readJson } from '@tenon/inspector/json';
import { oneLine } from './printable.ts';
import { convert } from './schema-types.ts';

/** One argument of a call as it was typed. */
export interface TypedArgument {
  readonly name: string;
  readonly text: string;
  /** `:=`: the text is JSON. */
  readonly json: boolean;
}

type JsonObject = Record<string, unknown>;

/** Splits `name=text` and `name:=json`. Throws a usage failure. */
export const typedArguments = (words: readonly string[]): TypedArgument[] => {
  const names = new Set<string>();
  return words.map((word) => {
    const at = word.indexOf('=');
    const json = word[at - 1] === ':';
    const name = word.slice(0, json ? at - 1 : at);
    if (at === -1 || name === '') {
      throw usage(`'${word}' is no argument`, 'Write name=text, or name:=json for numbers, lists and objects.');
    }
    if (names.has(name)) throw usage(`The argument ${name} is given twice`, `For a list write ${name}:='["a","b"]'`);
    names.add(name);
    return { name, text: word.slice(at + 1), json };
  });
};

const readFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw usage(`Cannot read ${path}: ${(error as Error).message}`);
  }
};

/** JSON that was typed, or with `@` in front is in a file. `what` names it in the failure. */
export const jsonGiven = (text: string, what: string): unknown => {
  const source = text.startsWith('@') ? readFile(text.slice(1)) : text;
  try {
    return readJson(source);
  } catch (error) {
    if (error instanceof Failure || error instanceof InexactNumberError) throw error;
    throw usage(
      `${what} is not JSON: ${(error as Error).message}`,
      text === source ? 'A text needs quotes in JSON. Plain text is given with = instead of :=' : undefined,
    );
  }
};

/** A JSON object that was typed, or is in a file. */
export const objectGiven = (text: string, what: string): JsonObject => {
  const value = jsonGiven(text, what);
  if (!isObject(value)) throw usage(`${what} must be a JSON object`);
  return value;
};

/**
 * The arguments of a call. Text given with `=` becomes what the tool's schema wants there, if that is possible without changing it;
 * JSON given with `:=` goes out as it is, whatever the schema says. Throws a usage failure.
 */
export const callArguments = (
  typed: readonly TypedArgument[],
  all: string | undefined,
  schema: unknown,
): JsonObject => {
  const base = all === undefined ? {} : objectGiven(all, '--args');
  const entries = typed.map(({ name, text, json }): [string, unknown] => {
    if (Object.hasOwn(base, name)) throw usage(`The argument ${oneLine(name, 60)} is given twice: in --args too`);
    return [name, json ? jsonGiven(text, name) : convert(name, text, schema)];
  });
  // Not by assignment: an argument may be called __proto__.
  return Object.fromEntries([...Object.entries(base), ...entries]);
};

/** The arguments of a prompt or a completion: text only. */
export const textArguments = (typed: readonly TypedArgument[]): Record<string, string> => {
  const wrong = typed.find(({ json }) => json);
  if (wrong !== undefined)
    throw usage(`${wrong.name}:= does not fit here: these arguments are text`, `Write ${wrong.name}=…`);
  return Object.fromEntries(typed.map(({ name, text }) => [name, text]));
};
