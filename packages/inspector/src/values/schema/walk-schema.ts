import { isObject } from '@tenon/values/is-object';
import type { Json } from '../words.ts';

/** A schema inside a schema, or the whole. */
export interface SchemaNode {
  readonly schema: Json;
  /** The place in the whole schema. */
  readonly at: string;
  /** How its parent refers to it: `properties`, `items`, `anyOf` …; undefined for the whole. */
  readonly keyword: string | undefined;
  /** Of a property: its name. */
  readonly name: string | undefined;
  readonly parent: SchemaNode | undefined;
  /** How many properties and items lead to it. */
  readonly depth: number;
}

/** The keywords that hold schemas: a map of them, a list, one, or what `items` may be. Of all dialects. */
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

/** Those that apply to the same value as the schema they stand in. */
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
/** Those that apply to no value by themselves. */
const APART: ReadonlySet<string> = new Set(['$defs', 'definitions', 'contentSchema']);

/** As many as the validator takes. */
const MAX_NODES = 10_000;
const MAX_DEPTH = 64;

/** A name as a step of a JSON Pointer. */
export function step(name: string | number): string {
  return `/${typeof name === 'number' || !/[~/]/.test(name) ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** All schemas inside a schema that are objects, itself first; and whether there are more than are looked at. */
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

/** What a JSON Pointer leads to. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
  }
  return value;
}
