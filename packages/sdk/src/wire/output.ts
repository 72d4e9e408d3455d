import type { JsonSchema } from '../protocol/entities.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { metaOf, type OutputMark, TENON } from '../protocol/meta.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { WRAPPED } from './read-output.ts';

const WRAPPED_AT = `#/properties/${WRAPPED}`;

/** Keywords whose value maps names to schemas. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set([
  'const',
  'enum',
  'default',
  'examples',
  'required',
  'dependentRequired',
  'type',
]);

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Does `structuredContent` have to be sent as `{ result: value }` because the revision allows only objects? */
export function wrapsOutput(outputSchema: JsonSchema, revision: Revision): boolean {
  return featuresOf(revision).structured === 'object' && outputSchema['type'] !== 'object';
}

/** The schema of `{ result: value }` for the schema of `value`. References in it keep their targets. */
export function wrapSchema(schema: JsonSchema): JsonObject {
  const { $schema, ...rest } = schema;
  // A schema with an `$id` is a resource of its own: references in it are relative to it, wherever it is.
  const inner = isResource(schema) ? schema : relocate(rest);
  return {
    $schema,
    type: 'object',
    properties: { [WRAPPED]: inner },
    required: [WRAPPED],
  };
}

/** The result with a mark that says where its structured value is. */
export function marked(result: JsonObject, mark: OutputMark): JsonObject {
  return {
    ...result,
    _meta: { ...metaOf(result), [TENON.output]: mark },
  };
}

function isResource(schema: JsonObject): boolean {
  return typeof schema['$id'] === 'string' && !schema['$id'].startsWith('#');
}

function relocate(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, unknown] => {
      if (REFERENCES.has(keyword) && typeof value === 'string') return moved(keyword, value);
      if (DATA.has(keyword)) return [keyword, value];
      if (SCHEMA_MAPS.has(keyword) && isObject(value)) {
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, relocated(schema)]))];
      }
      return [keyword, relocated(value)];
    }),
  );
}

function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  return isObject(value) && !isResource(value) ? relocate(value) : value;
}

/** JSON pointers from the root are adapted; references to anchors and other documents stay. */
function moved(keyword: string, reference: string): [string, string] {
  if (reference !== '#' && !reference.startsWith('#/')) return [keyword, reference];
  // `$recursiveRef` can only be "#" (2019-09), so away from the root it becomes a plain reference.
  return [keyword === '$recursiveRef' ? '$ref' : keyword, WRAPPED_AT + reference.slice(1)];
}

/**
 * A tool's schema as revisions before 2026-07-28 require it: the values in `properties` are objects, never `true` or `false`. The same
 * schema if it is already so.
 */
export function withObjectProperties(schema: JsonSchema): JsonSchema {
  const properties = schema['properties'];
  if (!isObject(properties) || !Object.values(properties).some((property) => typeof property === 'boolean'))
    return schema;
  const entries = Object.entries(properties).map(([name, property]): [string, unknown] => {
    if (typeof property !== 'boolean') return [name, property];
    return [name, property ? {} : { not: {} }];
  });
  return { ...schema, properties: Object.fromEntries(entries) };
}
