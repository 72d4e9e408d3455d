import { decodeUtf8 } from '@tenon/values/utf8';
import { isObject } from '@tenon/values/is-object';
import { readFileSync } from 'node:fs';
import { Failure, usage } from '../failure/failure.ts';
import { InexactNumberError, readJson } from '@tenon/inspector/json';
import { oneLine } from '../terminal/printable.ts';
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
export function parseArguments(words: readonly string[]): TypedArgument[] {
  const names = new Set<string>();
  return words.map((word) => {
    const at = word.indexOf('=');
    const json = word[at - 1] === ':';
    const name = word.slice(0, json ? at - 1 : at);
    if (at === -1 || name === '') {
      const isAll = /^\s*\{/.test(word);
      throw usage(
        `'${word}' is not an argument`,
        isAll
          ? `All arguments together, as JSON, are an option: --args '${word}'`
          : 'Write name=text, or name:=json for numbers, lists and objects.',
      );
    }
    if (names.has(name)) throw usage(`The argument ${name} is given twice`, `For a list write ${name}:='["a","b"]'`);
    names.add(name);
    return { name, text: word.slice(at + 1), json };
  });
}

function readFile(path: string): string {
  let text: string | undefined;
  try {
    text = decodeUtf8(readFileSync(path));
  } catch (error) {
    throw usage(`Cannot read ${path}: ${(error as Error).message}`);
  }
  if (text === undefined) throw usage(`Cannot read ${path}: it is not UTF-8`);
  return text.replace(/^\ufeff/, '');
}

/** Parses JSON from the command line; `@path` reads it from a file. `what` names the value in the failure. */
export function parseJsonArgument(text: string, what: string): unknown {
  const source = text.startsWith('@') ? readFile(text.slice(1)) : text;
  try {
    return readJson(source);
  } catch (error) {
    if (error instanceof Failure || error instanceof InexactNumberError) throw error;
    throw usage(
      `${what} is not JSON: ${(error as Error).message}`,
      text === source ? 'In JSON, text needs quotes. For plain text use = instead of :=' : undefined,
    );
  }
}

/** Parses a JSON object from the command line; `@path` reads it from a file. */
export function parseObjectArgument(text: string, what: string): JsonObject {
  const value = parseJsonArgument(text, what);
  if (!isObject(value)) throw usage(`${what} must be a JSON object`);
  return value;
}

/**
 * Builds the arguments of a call. `name=text` is converted to the type that the tool's schema declares, if that loses nothing;
 * `name:=json` is sent unchanged, whatever the schema says. Throws a usage failure.
 */
export function buildCallArguments(
  typed: readonly TypedArgument[],
  all: string | undefined,
  schema: unknown,
): JsonObject {
  const base = all === undefined ? {} : parseObjectArgument(all, '--args');
  const entries = typed.map(({ name, text, json }): [string, unknown] => {
    if (Object.hasOwn(base, name)) throw usage(`The argument ${oneLine(name, 60)} is given twice: in --args too`);
    return [name, json ? parseJsonArgument(text, name) : convert(name, text, schema)];
  });
  // Not by assignment, because an argument may be called __proto__.
  return Object.fromEntries([...Object.entries(base), ...entries]);
}

/** The arguments of a prompt or a completion: text only. */
export function buildTextArguments(typed: readonly TypedArgument[]): Record<string, string> {
  const wrong = typed.find(({ json }) => json);
  if (wrong !== undefined)
    throw usage(`${wrong.name}:= cannot be used here: these arguments are text`, `Write ${wrong.name}=…`);
  return Object.fromEntries(typed.map(({ name, text }) => [name, text]));
}
