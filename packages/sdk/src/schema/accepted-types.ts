import type { JsonSchema } from '../protocol/entities.ts';
import { isObject } from '../protocol/jsonrpc.ts';

/** The types of JSON. An integer is a number. */
const TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;
/** A type of JSON. */
export type JsonType = (typeof TYPES)[number];

/**
 * The types of the values that `part` of the schema `root` may accept. References are resolved in `root`. Keywords that do not concern
 * types are ignored.
 */
export function acceptedTypes(part: unknown, root: JsonSchema): readonly JsonType[] {
  const byReference = new Map<string, readonly JsonType[]>();
  const typesOf = (schema: unknown): readonly JsonType[] => {
    if (!isObject(schema)) return schema === false ? [] : TYPES;
    const { type, const: value, enum: values, anyOf, oneOf, allOf, $ref } = schema;
    const allowed: (readonly unknown[])[] = [];
    if (type !== undefined) allowed.push([type].flat().map((name) => (name === 'integer' ? 'number' : name)));
    if (value !== undefined) allowed.push([typeOf(value)]);
    if (Array.isArray(values)) allowed.push(values.map(typeOf));
    for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) allowed.push(branches.flatMap(typesOf));
    if (Array.isArray(allOf)) allowed.push(...allOf.map(typesOf));
    if (typeof $ref === 'string') {
      // A reference to itself does not restrict a definition.
      if (!byReference.has($ref)) byReference.set($ref, TYPES).set($ref, typesOf(definitionAt(root, $ref)));
      allowed.push(byReference.get($ref)!);
    }
    return TYPES.filter((name) => allowed.every((names) => names.includes(name)));
  };
  return typesOf(part);
}

/** The schema with `"type": "object"` at its root; undefined if it also accepts other values than objects. */
export function withObjectRoot(json: JsonSchema): JsonSchema | undefined {
  if (json['type'] === 'object') return json;
  const { type: _, ...rest } = json;
  return acceptedTypes(json, json).join() === 'object' ? { type: 'object', ...rest } : undefined;
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as JsonType);
}

/** The definition that a reference within the schema names, such as `#/$defs/point`; undefined if there is none. */
export function definitionAt(root: JsonSchema, ref: unknown): unknown {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(ref)) ?? [];
  const definitions = root[keyword];
  return isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
