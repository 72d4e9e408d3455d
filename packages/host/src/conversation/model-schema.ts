import type { JsonSchema } from 'tenon/client';
import { clip } from './clip.ts';
import { wellFormed } from '../values/well-formed.ts';
import { isKeywordSound } from './schema-keywords.ts';
import { isObject } from '@tenon/values/is-object';
import { withoutUndefined } from '@tenon/values/without-undefined';

/** A schema of arguments that models accept, and a note about what it could not express, for the description. */
interface ModelSchema {
  readonly schema: JsonSchema;
  readonly note: string | undefined;
}

type Mutable = Record<string, unknown>;

/** Keywords with a map of schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SINGLE = new Set(['items', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalItems']);
/** Keywords that may be booleans for every provider. */
const FLAGS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);
/** Keywords that OpenAI and Anthropic reject at the top level of a schema of arguments. */
const NOT_AT_TOP = ['allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const'] as const;
/** The names of arguments that Anthropic accepts. */
const PLAIN_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_DEPTH = 64;

/**
 * Converts an MCP schema to one that the providers accept, without changing its meaning: a provider rejects all tools of a request if the
 * schema of one is invalid. What cannot be expressed becomes a note for the model; the server validates the arguments anyway. With
 * `anyKeys`, arguments may have names that Anthropic rejects.
 */
export function modelSchema(schema: JsonSchema, anyKeys = false): ModelSchema {
  const adapted = adapt(schema, 0, schema);
  const top = isObject(adapted) ? resolved(adapted, adapted) : {};
  const { properties, required } = membersOf(top, top, 0);
  const topKeywords = Object.fromEntries(NOT_AT_TOP.filter((key) => key in top).map((key) => [key, top[key]]));
  const rest = Object.fromEntries(Object.entries(top).filter(([key]) => key !== 'required' && !(key in topKeywords)));
  // No provider accepts a lone surrogate in a name.
  const isAccepted = (key: string): boolean => PLAIN_KEY.test(key) || (anyKeys && key === wellFormed(key));
  if (!Object.keys(properties).every(isAccepted)) {
    return { schema: { type: 'object', properties: {} }, note: noteOf('The arguments are those of', schema) };
  }
  return {
    schema: withoutUndefined({
      ...rest,
      type: 'object',
      properties,
      required: required.length > 0 ? required : undefined,
    }),
    note: Object.keys(topKeywords).length > 0 ? noteOf('The arguments must also fit', topKeywords) : undefined,
  };
}

function noteOf(what: string, schema: unknown): string {
  return `${what} this JSON Schema: ${clip(JSON.stringify(schema), 10_000)}`;
}

/** Converts keywords to the form of the newest JSON Schema and the providers, and removes invalid ones. Data such as defaults stays. */
function adapt(schema: unknown, depth: number, root: JsonSchema): unknown {
  if (schema === false) return { not: {} };
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== '$schema' && isKeywordSound(key, value) && (key !== '$ref' || isResolvable(value, root)),
  );
  const adapted = Object.fromEntries(entries.map(([key, value]) => [key, adaptValue(key, value, depth + 1, root)]));
  return withItems(withNumberBounds(adapted));
}

function adaptValue(key: string, value: unknown, depth: number, root: JsonSchema): unknown {
  if (MAPS.has(key) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, adapt(item, depth, root)]));
  }
  if (Array.isArray(value) && (LISTS.has(key) || key === 'items')) return value.map((item) => adapt(item, depth, root));
  if (SINGLE.has(key)) return adapt(value, depth, root);
  return FLAGS.has(key) && typeof value !== 'boolean' ? adapt(value, depth, root) : wellFormedData(value);
}

/** Replaces lone surrogates in data. */
function wellFormedData(data: unknown): unknown {
  if (typeof data === 'string') return wellFormed(data);
  if (Array.isArray(data)) return data.map(wellFormedData);
  if (!isObject(data)) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [wellFormed(name), wellFormedData(value)]));
}

/** The target of a reference within the schema. */
function target(reference: string, root: Mutable): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, step) => {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      return (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, key)
        ? (value as Mutable)[key]
        : undefined;
    }, root);
}

/** Whether a reference can be resolved. The schema is sent on its own, so only references within it can. */
function isResolvable(reference: unknown, root: JsonSchema): boolean {
  return (
    reference === '#' ||
    (typeof reference === 'string' && reference.startsWith('#/') && target(reference, root) !== undefined)
  );
}

/** In draft 4, exclusive bounds were boolean flags. */
function withNumberBounds(schema: Mutable): Mutable {
  const bounded = { ...schema };
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof bounded[exclusive] !== 'boolean') continue;
    if (bounded[exclusive] && typeof bounded[bound] === 'number') {
      bounded[exclusive] = bounded[bound];
      delete bounded[bound];
    } else delete bounded[exclusive];
  }
  return bounded;
}

/** A list in `items` became `prefixItems`, and OpenAI requires `items` for every array. */
function withItems(schema: Mutable): Mutable {
  if (Array.isArray(schema.items)) {
    const { items, additionalItems = {}, ...rest } = schema;
    const list = { ...rest, items: additionalItems };
    return items.length === 0 ? list : { ...list, prefixItems: items };
  }
  const isArray = schema.type === 'array' || (Array.isArray(schema.type) && schema.type.includes('array'));
  return isArray && !('items' in schema) ? { ...schema, items: {} } : schema;
}

/** Resolves a reference at the top level of a schema. */
function resolved(schema: Mutable, root: Mutable, hops = 0): Mutable {
  const { $ref, ...rest } = schema;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/') || hops > 8) return schema;
  const found = target($ref, root);
  return isObject(found) ? { ...resolved(found, root, hops + 1), ...rest } : schema;
}

interface Members {
  readonly properties: Mutable;
  readonly required: readonly string[];
}

/** The arguments of a schema, including those that only its branches define. */
function membersOf(schema: Mutable, root: Mutable, depth: number): Members {
  const own: Members = {
    properties: isObject(schema.properties) ? schema.properties : {},
    required: stringsIn(schema.required),
  };
  if (depth > 8) return own;
  const branches = (key: string): Members[] => {
    const list = schema[key];
    if (!Array.isArray(list)) return [];
    return list.filter(isObject).map((branch) => membersOf(resolved(branch, root), root, depth + 1));
  };
  const all = branches('allOf');
  const any = [branches('anyOf'), branches('oneOf')].filter((list) => list.length > 0);
  return {
    properties: [own, ...all, ...any.flat()].map((each) => each.properties).reduce(joined),
    // Of alternatives, only the arguments that all of them require.
    required: [...new Set([own, ...all].flatMap((each) => each.required).concat(any.flatMap(inAll)))],
  };
}

function inAll([first, ...others]: Members[]): string[] {
  return (first?.required ?? []).filter((name) => others.every((other) => other.required.includes(name)));
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Merges two sets of arguments. If both define an argument differently, either schema may apply. */
function joined(a: Mutable, b: Mutable): Mutable {
  const added = Object.entries(b).map(([name, schema]): [string, unknown] => {
    if (!Object.hasOwn(a, name) || JSON.stringify(a[name]) === JSON.stringify(schema)) return [name, schema];
    const known = a[name];
    const either =
      isObject(known) && Array.isArray(known.anyOf) && Object.keys(known).length === 1 ? known.anyOf : [known];
    return [name, { anyOf: [...either, schema] }];
  });
  return { ...a, ...Object.fromEntries(added) };
}
