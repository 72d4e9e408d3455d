import { isObject } from '@tenon/values/is-object';
import { usage } from '../failure/failure.ts';
import { exactNumber, isInteger, isNumber, readJson } from '@tenon/inspector/json';
import { oneLine } from '../terminal/printable.ts';

/** The types of JSON Schema. */
type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'object' | 'array';

const TYPES: ReadonlySet<unknown> = new Set<JsonType>([
  'string',
  'integer',
  'number',
  'boolean',
  'null',
  'object',
  'array',
]);

/** An own member of an object, or an element of an array. */
function own(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,5})$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** How many subschemas are visited for one argument: a peer's schema may be recursive and branch widely. */
const MAX_SUBSCHEMAS = 1_000;

/** The state of one search through a schema. */
interface Search {
  readonly root: unknown;
  /** How many subschemas may still be visited. */
  left: number;
}

function searchIn(root: unknown): Search {
  return { root, left: MAX_SUBSCHEMAS };
}

/** The target of a local reference like `#/$defs/name`; undefined if it has none. */
export function resolveReference(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  let at = root;
  for (const step of steps) at = own(at, step);
  return at;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function typeOfValue(value: unknown): JsonType | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return TYPES.has(type) ? (type as JsonType) : undefined;
}

type Types = ReadonlySet<JsonType>;

/** The types that a schema allows; undefined if it does not restrict the type. */
export function typesOf(schema: unknown, search = searchIn(schema)): Types | undefined {
  if (!isObject(schema) || search.left-- <= 0) return undefined;
  const type = own(schema, 'type');
  const named = (Array.isArray(type) ? type : [type]).filter((name): name is JsonType => TYPES.has(name));
  if (named.length > 0) return new Set(named);
  if (Object.hasOwn(schema, 'const')) return valueTypes([schema['const']]);
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return valueTypes(values);
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') return typesOf(resolveReference(search.root, reference), search);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = own(schema, keyword);
    if (Array.isArray(branches)) return unionOf(branches, search);
  }
  const parts = own(schema, 'allOf');
  return Array.isArray(parts) ? first(parts, (part) => typesOf(part, search)) : undefined;
}

function first<T>(parts: readonly unknown[], find: (part: unknown) => T | undefined): T | undefined {
  for (const part of parts) {
    const found = find(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueTypes(values: readonly unknown[]): Types {
  return new Set(values.map(typeOfValue).filter((type): type is JsonType => type !== undefined));
}

/** The types of all branches. Undefined if one branch does not restrict the type, because then text is allowed. */
function unionOf(branches: readonly unknown[], search: Search): Types | undefined {
  const union = new Set<JsonType>();
  for (const branch of branches) {
    const types = typesOf(branch, search);
    if (types === undefined) return undefined;
    for (const type of types) union.add(type);
  }
  return union;
}

const NONE: unique symbol = Symbol('none');

function asJson(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value = readJson(text);
    return fits(value) ? value : NONE;
  } catch (error) {
    if (error instanceof SyntaxError) return NONE;
    throw error;
  }
}

/** Converts text to a value of a type, or `NONE`; in the order in which the types of a union are tried. */
const CONVERSIONS: readonly (readonly [JsonType, (text: string) => unknown])[] = [
  ['integer', (text) => (isNumber(text) && isInteger(text) ? exactNumber(text) : NONE)],
  ['number', (text) => (isNumber(text) ? exactNumber(text) : NONE)],
  ['boolean', (text) => (text === 'true' ? true : text === 'false' ? false : NONE)],
  ['null', (text) => (text === 'null' ? null : NONE)],
  ['object', (text) => asJson(text, isObject)],
  ['array', (text) => asJson(text, Array.isArray)],
];

/** The text as a value of one of the types; undefined if it fits none. */
export function valueOf(text: string, types: Types): { readonly value: unknown } | undefined {
  for (const [type, conversion] of CONVERSIONS) {
    const value = types.has(type) ? conversion(text) : NONE;
    if (value !== NONE) return { value };
  }
  return undefined;
}

/** The types as they are named in messages. */
const WANTED: ReadonlyMap<JsonType, string> = new Map([
  ['integer', 'an integer'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['null', 'null'],
  ['object', 'a JSON object'],
  ['array', 'a JSON array'],
]);

/** The schema of one property of an object schema. Follows `$ref` and `allOf` at the top level. */
function propertySchema(schema: unknown, name: string, search: Search): unknown {
  if (search.left-- <= 0) return undefined;
  const direct = own(own(schema, 'properties'), name);
  if (direct !== undefined) return direct;
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') return propertySchema(resolveReference(search.root, reference), name, search);
  const parts = own(schema, 'allOf');
  return Array.isArray(parts) ? first(parts, (part) => propertySchema(part, name, search)) : undefined;
}

/**
 * Converts text of the command line to the type that the tool's schema declares for the argument. It stays text if the schema allows text
 * or declares no type, even if it looks like a number. Throws a usage failure if the conversion would lose information.
 */
export function convert(name: string, text: string, schema: unknown): unknown {
  const search = searchIn(schema);
  const types = typesOf(propertySchema(schema, name, search), search);
  if (types === undefined || types.size === 0 || types.has('string')) return text;
  const found = valueOf(text, types);
  if (found !== undefined) return found.value;
  const wanted = [...types].map((type) => WANTED.get(type)).join(' or ');
  throw usage(
    `${oneLine(name, 60)} must be ${wanted}, and '${oneLine(text, 100)}' is not`,
    `To send something else on purpose, write ${oneLine(name, 60)}:=json`,
    'bad_argument',
  );
}
