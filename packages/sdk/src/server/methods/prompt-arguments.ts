import type { JsonSchema } from '../../protocol/entities.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import { shown } from '../../protocol/text.ts';
import { acceptedTypes, definitionAt, type JsonType } from '../../schema/accepted-types.ts';
import type { CheckResult } from '../../schema/adapt.ts';
import { findInexactNumber, isExactNumber, isNumberLiteral } from '../../schema/exact-number.ts';
import { JsonError, parseJson } from '../../wire/json.ts';

/** The value of a text, or why it is invalid. */
type Read = { readonly value: unknown } | { readonly problem: string };

/**
 * Converts the arguments of a prompt, which clients can only send as text, to the types that its schema declares. A text that cannot be
 * converted is left unchanged, and the schema refuses it.
 */
export function readArguments(args: Readonly<Record<string, string>>, schema: JsonSchema, limits: Limits): CheckResult {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const read: [string, unknown][] = [];
  for (const [name, text] of Object.entries(args)) {
    const argument = Object.hasOwn(properties, name)
      ? readText(text, properties[name], schema, limits)
      : { value: text };
    if ('problem' in argument) return { issues: [{ path: [name], message: argument.problem }] };
    read.push([name, argument.value]);
  }
  return { value: Object.fromEntries(read) };
}

function readText(text: string, schema: unknown, root: JsonSchema, limits: Limits): Read {
  const types = acceptedTypes(schema, root);
  if (types.includes('string')) return { value: text };
  const scalar = readScalar(text, types);
  if (scalar !== undefined || !types.includes('array')) return scalar ?? { value: text };
  return readJsonList(text, limits) ?? readList(text, schema, root, limits);
}

const SCALARS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** A number, a boolean or null, as JSON writes it; undefined if the text is not one of these, or the schema does not accept it. */
function readScalar(given: string, types: readonly JsonType[]): Read | undefined {
  const text = given.trim();
  const word = SCALARS.get(text);
  if (word !== undefined) return types.includes(word === null ? 'null' : 'boolean') ? { value: word } : undefined;
  if (!types.includes('number') || !isNumberLiteral(text)) return undefined;
  return isExactNumber(text) ? { value: Number(text) } : { problem: inexact(text) };
}

function inexact(number: string): string {
  return `the number ${shown(number, 60)} would lose its value: it has too many digits, or is too large`;
}

/** A JSON array; undefined if the text is not one. */
function readJsonList(text: string, limits: Limits): Read | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const value = parseJson(text, limits);
    const number = findInexactNumber(text);
    return number === undefined ? { value } : { problem: inexact(number) };
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Items separated by commas. An empty text is an empty list. */
function readList(text: string, schema: unknown, root: JsonSchema, limits: Limits): Read {
  const { first, rest } = itemSchemas(schema, root);
  const typesOfRest = acceptedTypes(rest, root);
  const values: unknown[] = [];
  const items = text.trim() === '' ? [] : text.split(',', limits.elements + 1);
  if (items.length > limits.elements) return { problem: `it has more than ${limits.elements} items` };
  for (const [at, given] of items.entries()) {
    const item = given.trim();
    const types = at < first.length ? acceptedTypes(first[at], root) : typesOfRest;
    const read = types.includes('string') ? undefined : readScalar(item, types);
    if (read !== undefined && 'problem' in read) return read;
    values.push(read === undefined ? item : read.value);
  }
  return { value: values };
}

/** The schemas of a list: one for each of the first items, and one for the rest. Items without a schema may be any value. */
interface ItemSchemas {
  readonly first: readonly unknown[];
  readonly rest: unknown;
}

function itemSchemas(schema: unknown, root: JsonSchema, depth = 0): ItemSchemas {
  if (!isObject(schema) || depth > MAX_DEPTH) return { first: [], rest: undefined };
  const { prefixItems, items, additionalItems, $ref, anyOf, oneOf, allOf } = schema;
  // Up to 2019-09, `items` could be the list.
  if (Array.isArray(items)) return { first: items, rest: additionalItems };
  if (Array.isArray(prefixItems) || items !== undefined)
    return { first: Array.isArray(prefixItems) ? prefixItems : [], rest: items };
  const parts = [definitionAt(root, $ref), ...[anyOf, oneOf, allOf].flat()];
  const list = parts.find((part) => isObject(part) && acceptedTypes(part, root).includes('array'));
  return itemSchemas(list, root, depth + 1);
}

/** The maximum number of nested schemas that are searched for the schema of the items. */
const MAX_DEPTH = 8;
