import { isObject } from '@tenon/values/is-object';
import { usage } from './failure.ts';
import { exactNumber, isInteger, isNumber, readJson } from '@tenon/inspector/json';
import { oneLine } from './printable.ts';

/** The types JSON Schema knows. */
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

const own = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A schema of a peer may refer to itself, and branch: so many of its parts are looked at for one argument. */
const MOST_PARTS = 1_000;

/** One search through a schema. */
interface Search {
  readonly root: unknown;
  /** How many parts may still be looked at. */
  left: number;
}

const searchIn = (root: unknown): Search => ({ root, left: MOST_PARTS });

/** What `#/$defs/name` points at. */
const resolve = (root: unknown, reference: string): unknown => {
  if (!reference.startsWith('#/')) return undefined;
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  let at = root;
  for (const step of steps) at = own(at, step);
  return at;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const typeOfValue = (value: unknown): JsonType | undefined => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return TYPES.has(type) ? (type as JsonType) : undefined;
};

type Types = ReadonlySet<JsonType>;

/** The types a schema allows, as far as it says. Undefined: it does not say. */
export const typesOf = (schema: unknown, search = searchIn(schema)): Types | undefined => {
  if (!isObject(schema) || search.left-- <= 0) return undefined;
  const type = own(schema, 'type');
  const named = (Array.isArray(type) ? type : [type]).filter((name): name is JsonType => TYPES.has(name));
  if (named.length > 0) return new Set(named);
  if (Object.hasOwn(schema, 'const')) return valueTypes([schema['const']]);
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return valueTypes(values);
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') return typesOf(resolve(search.root, reference), search);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = own(schema, keyword);
    if (Array.isArray(branches)) return unionOf(branches, search);
  }
  const parts = own(schema, 'allOf');
  return Array.isArray(parts) ? first(parts, (part) => typesOf(part, search)) : undefined;
};

const first = <T>(parts: readonly unknown[], find: (part: unknown) => T | undefined): T | undefined => {
  for (const part of parts) {
    const found = find(part);
    if (found !== undefined) return found;
  }
  return undefined;
};

const valueTypes = (values: readonly unknown[]): Types =>
  new Set(values.map(typeOfValue).filter((type): type is JsonType => type !== undefined));

/** A branch that does not say allows anything, and so text. */
const unionOf = (branches: readonly unknown[], search: Search): Types | undefined => {
  const union = new Set<JsonType>();
  for (const branch of branches) {
    const types = typesOf(branch, search);
    if (types === undefined) return undefined;
    for (const type of types) union.add(type);
  }
  return union;
};

const NONE: unique symbol = Symbol('none');

const asJson = (text: string, fits: (value: unknown) => boolean): unknown => {
  try {
    const value = readJson(text);
    return fits(value) ? value : NONE;
  } catch (error) {
    if (error instanceof SyntaxError) return NONE;
    throw error;
  }
};

/** How text becomes a value of a type, or `NONE`; in the order in which a union is tried. */
const CONVERSIONS: readonly (readonly [JsonType, (text: string) => unknown])[] = [
  ['integer', (text) => (isNumber(text) && isInteger(text) ? exactNumber(text) : NONE)],
  ['number', (text) => (isNumber(text) ? exactNumber(text) : NONE)],
  ['boolean', (text) => (text === 'true' ? true : text === 'false' ? false : NONE)],
  ['null', (text) => (text === 'null' ? null : NONE)],
  ['object', (text) => asJson(text, isObject)],
  ['array', (text) => asJson(text, Array.isArray)],
];

/** The text as a value of one of the types. Undefined if it is none of them. */
export const valueOf = (text: string, types: Types): { readonly value: unknown } | undefined => {
  for (const [type, conversion] of CONVERSIONS) {
    const value = types.has(type) ? conversion(text) : NONE;
    if (value !== NONE) return { value };
  }
  return undefined;
};

/** What is wanted, and how to write it, in words. */
const WANTED: ReadonlyMap<JsonType, string> = new Map([
  ['integer', 'an integer'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['null', 'null'],
  ['object', 'a JSON object'],
  ['array', 'a JSON array'],
]);

/** The schema of one property of an object schema; `$ref` and `allOf` at its top are followed. */
const propertySchema = (schema: unknown, name: string, search: Search): unknown => {
  if (search.left-- <= 0) return undefined;
  const direct = own(own(schema, 'properties'), name);
  if (direct !== undefined) return direct;
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') return propertySchema(resolve(search.root, reference), name, search);
  const parts = own(schema, 'allOf');
  return Array.isArray(parts) ? first(parts, (part) => propertySchema(part, name, search)) : undefined;
};

/**
 * Text of the command line as the value a tool's schema wants for an argument. Where text is allowed, or the schema does not say, it
 * stays text: a text that looks like a number is none. Throws a usage failure when it cannot be converted without changing it.
 */
export const convert = (name: string, text: string, schema: unknown): unknown => {
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
};
