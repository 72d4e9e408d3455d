import { kindOf } from '../quoted.ts';
import { SchemaError } from '../schema-error.ts';
import type { SchemaNode } from './model.ts';
import { locate } from './tree.ts';

// Readers of keyword values. Each returns undefined if the keyword is missing and throws a SchemaError if its value is invalid by the
// dialect's meta-schema.

/** The value of a keyword of any type. */
export function keyword(node: SchemaNode, name: string): unknown {
  const { schema } = node;
  return typeof schema === 'boolean' || !Object.hasOwn(schema, name) ? undefined : schema[name];
}

function wrong(node: SchemaNode, name: string, wanted: string, value: unknown): SchemaError {
  return new SchemaError(`${name} must be ${wanted}, got ${kindOf(value)}`, locate(node, name));
}

export function readNumber(node: SchemaNode, name: string): number | undefined {
  const value = keyword(node, name);
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw wrong(node, name, 'a number', value);
}

/** A length or a count: a non-negative integer. */
export function readCount(node: SchemaNode, name: string): number | undefined {
  const value = readNumber(node, name);
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw new SchemaError(`${name} must be a whole number >= 0, got ${value}`, locate(node, name));
}

export function readBoolean(node: SchemaNode, name: string): boolean | undefined {
  const value = keyword(node, name);
  if (value === undefined || typeof value === 'boolean') return value;
  throw wrong(node, name, 'a boolean', value);
}

export function readString(node: SchemaNode, name: string): string | undefined {
  const value = keyword(node, name);
  if (value === undefined || typeof value === 'string') return value;
  throw wrong(node, name, 'a string', value);
}

export function readArray(node: SchemaNode, name: string): readonly unknown[] | undefined {
  const value = keyword(node, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw wrong(node, name, 'an array', value);
}

/** A list of property names. */
export function readNames(node: SchemaNode, name: string, value = keyword(node, name)): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
  throw new SchemaError(`${name} must be an array of property names`, locate(node, name));
}

/** The schemas in the map of a keyword, by name. */
export function childMap(node: SchemaNode, name: string): [string, SchemaNode][] {
  const value = keyword(node, name);
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const child = node.children.get(`${name}/${key}`);
    return child === undefined ? [] : [[key, child] as [string, SchemaNode]];
  });
}

/** The schemas in the list of a keyword; undefined if it is missing or not a list. */
export function childList(node: SchemaNode, name: string): SchemaNode[] | undefined {
  const value = keyword(node, name);
  return Array.isArray(value) ? value.map((_, index) => node.children.get(`${name}/${index}`)!) : undefined;
}
