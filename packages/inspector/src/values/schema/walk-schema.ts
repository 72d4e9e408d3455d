import { isObject } from '@tenon/values/is-object';
import type { Json } from '../words.ts';

/** A schema inside a schema, or the root. */
export interface SchemaNode {
  readonly schema: Json;
  /** Its path in the root schema. */
  readonly at: string;
  /** The keyword of its parent: `properties`, `items`, `anyOf` …; undefined for the root. */
  readonly keyword: string | undefined;
  /** For a property: its name. */
  readonly name: string | undefined;
  readonly parent: SchemaNode | undefined;
  /** The number of properties and items on the path to it. */
  readonly depth: number;
}

/** The keywords that contain schemas: a map, a list, a single one, or for `items` either. Of all dialects. */
export const SCHEMA_KEYWORDS: ReadonlyMap<string, 'map' | 'list' | 'one' | 'oneOrList'> = new Map([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'].map(
    (name) => [name, 'map'] as const,
  ),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, 'list'] as const),
  ...[
    'additionalItems',
    'additionalProperties',
    'unevaluatedItems',
    'unevaluatedProperties',
    'contains',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
    'contentSchema',
  ].map((name) => [name, 'one'] as const),
  ['items', 'oneOrList'],
]);

/** The keywords whose schemas apply to the same value as their parent. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);
/** The keywords whose schemas apply to no value directly. */
const APART: ReadonlySet<string> = new Set(['$defs', 'definitions', 'contentSchema']);

/** The limits of the validator. */
const MAX_NODES = 10_000;
const MAX_DEPTH = 64;

/** A name as a segment of a JSON Pointer. */
export function step(name: string | number): string {
  return `/${typeof name === 'number' || !/[~/]/.test(name) ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** All object schemas inside a schema, the root first. `cut`: there are more than the limits allow. */
export function walkSchema(schema: Json): { readonly nodes: readonly SchemaNode[]; readonly cut: boolean } {
  const nodes: SchemaNode[] = [];
  let cut = false;
  const add = (
    value: unknown,
    parent: SchemaNode,
    level: number,
    keyword: string,
    name: string | number | undefined,
  ): void => {
    if (!isObject(value)) return;
    if (nodes.length >= MAX_NODES || level > MAX_DEPTH) {
      cut = true;
      return;
    }
    const at = `${parent.at}/${keyword}${name === undefined ? '' : step(name)}`;
    const deeper = IN_PLACE.has(keyword) || APART.has(keyword) ? 0 : 1;
    const node: SchemaNode = {
      schema: value,
      at,
      keyword,
      name: keyword === 'properties' ? String(name) : undefined,
      parent,
      depth: parent.depth + deeper,
    };
    nodes.push(node);
    inside(node, level + 1);
  };
  const inside = (node: SchemaNode, level: number): void => {
    for (const keyword of Object.keys(node.schema)) {
      const shape = SCHEMA_KEYWORDS.get(keyword);
      if (shape === undefined) continue;
      const value = node.schema[keyword];
      if (shape === 'map') {
        if (isObject(value)) for (const name of Object.keys(value)) add(value[name], node, level, keyword, name);
      } else if (shape !== 'one' && Array.isArray(value)) {
        for (let index = 0; index < value.length && !cut; index += 1) add(value[index], node, level, keyword, index);
      } else if (shape !== 'list') add(value, node, level, keyword, undefined);
    }
  };
  const root: SchemaNode = { schema, at: '', keyword: undefined, name: undefined, parent: undefined, depth: 0 };
  nodes.push(root);
  inside(root, 1);
  return { nodes, cut };
}

/** The value at a JSON Pointer. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
  }
  return value;
}
