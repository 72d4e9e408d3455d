import { isObject, type Json } from '../rules/words.ts';
import type { LintNode } from './rule.ts';

/** The keywords that hold schemas: a map of them, a list, one, or what `items` may be. Of all dialects. */
const SHAPES: ReadonlyMap<string, 'map' | 'list' | 'one' | 'oneOrList'> = new Map([
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

/** Does a keyword hold schemas? */
export const holdsSchemas = (keyword: string): boolean => SHAPES.has(keyword);

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
const MOST = 10_000;
const DEEPEST = 64;

/** A name as a step of a JSON Pointer. */
export const step = (name: string | number): string =>
  `/${typeof name === 'number' || !/[~/]/.test(name) ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** All schemas inside a schema that are objects, itself first; and whether there are more than are looked at. */
export const walkSchema = (schema: Json): { readonly nodes: readonly LintNode[]; readonly cut: boolean } => {
  const nodes: LintNode[] = [];
  let cut = false;
  const add = (
    value: unknown,
    parent: LintNode,
    level: number,
    keyword: string,
    name: string | number | undefined,
  ): void => {
    if (!isObject(value)) return;
    if (nodes.length >= MOST || level > DEEPEST) {
      cut = true;
      return;
    }
    const at = `${parent.at}/${keyword}${name === undefined ? '' : step(name)}`;
    const deeper = IN_PLACE.has(keyword) || APART.has(keyword) ? 0 : 1;
    const node: LintNode = {
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
  const inside = (node: LintNode, level: number): void => {
    for (const keyword of Object.keys(node.schema)) {
      const shape = SHAPES.get(keyword);
      if (shape === undefined) continue;
      const value = node.schema[keyword];
      if (shape === 'map') {
        if (isObject(value)) for (const name of Object.keys(value)) add(value[name], node, level, keyword, name);
      } else if (shape !== 'one' && Array.isArray(value)) {
        for (let index = 0; index < value.length && !cut; index += 1) add(value[index], node, level, keyword, index);
      } else if (shape !== 'list') add(value, node, level, keyword, undefined);
    }
  };
  const root: LintNode = { schema, at: '', keyword: undefined, name: undefined, parent: undefined, depth: 0 };
  nodes.push(root);
  inside(root, 1);
  return { nodes, cut };
};

const MOST_TEXTS = 2_000;

/** The texts of a schema that a model reads: what its keywords say, the names of properties, the values that it gives. */
export const textsIn = (nodes: readonly LintNode[]): { readonly at: string; readonly text: string }[] => {
  const texts: { at: string; text: string }[] = [];
  const collect = (value: unknown, at: string): void => {
    // Level by level: data may be nested to any depth.
    for (let level: [unknown, string][] = [[value, at]]; level.length > 0 && texts.length < MOST_TEXTS;) {
      const next: [unknown, string][] = [];
      for (const [each, place] of level) {
        if (typeof each === 'string') texts.push({ at: place, text: each });
        else if (Array.isArray(each)) each.forEach((item, index) => next.push([item, place + step(index)]));
        else if (isObject(each)) for (const name of Object.keys(each)) next.push([each[name], place + step(name)]);
      }
      level = next;
    }
  };
  for (const { schema, at, name } of nodes) {
    if (name !== undefined) texts.push({ at, text: name });
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      if (typeof value === 'string') texts.push({ at: at + step(keyword), text: value });
      else if (typeof value === 'object' && value !== null && !SHAPES.has(keyword)) collect(value, at + step(keyword));
    }
    if (texts.length >= MOST_TEXTS) break;
  }
  return texts;
};

/** What a JSON Pointer leads to. */
export const valueAt = (root: unknown, pointer: string): unknown => {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
  }
  return value;
};
