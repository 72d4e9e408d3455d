import type { Json } from '../words.ts';

/** A schema in its document: what `$ref` refers into. */
export interface Part {
  readonly document: Json;
  readonly schema: unknown;
}

/** The kinds of values; `fraction` are numbers that are no integers. */
export const KINDS = ['string', 'integer', 'fraction', 'boolean', 'null', 'object', 'array'] as const;
export type Kind = (typeof KINDS)[number];

/** A part that is an object. */
export interface Flat extends Part {
  readonly schema: Json;
}

/** Forms of which a value must have any, or exactly one. */
export interface Group {
  readonly keyword: 'anyOf' | 'oneOf';
  /** The list as the schema has it: tells groups apart. */
  readonly source: readonly unknown[];
  readonly branches: readonly Part[];
}

/** What one keyword alone cannot say: schemas that several `allOf` branches give are one schema here, and so is what `$ref` leads to. */
export interface Shape {
  /** What it was read from; never empty. */
  readonly parts: readonly Part[];
  /** The same with what they refer to, and with the branches of their `allOf`. */
  flat: readonly Flat[];
  /** Nothing fits. */
  never: boolean;
  kinds: ReadonlySet<Kind>;
  /** The values of `enum` and `const`, by their canonical text; undefined: not given. */
  values: ReadonlyMap<string, unknown> | undefined;
  /** Numbers by keyword: the strictest of all. */
  readonly bounds: Map<string, number>;
  readonly patterns: Set<string>;
  readonly formats: Set<string>;
  /** Of `multipleOf`. */
  readonly divisors: Set<number>;
  unique: boolean;
  /** There is more of it than is looked at. */
  cut: boolean;
  readonly properties: Map<string, Part[]>;
  readonly required: Set<string>;
  /** Properties that are not described: undefined: allowed. */
  extra: Part[] | undefined;
  prefix: Part[][];
  items: Part[] | undefined;
  readonly groups: Group[];
  readonly byPattern: Map<string, Part[]>;
  /** What is only compared as it is written: keyword and canonical text. */
  readonly opaque: Map<string, string>;
  /** What describes. */
  readonly remarks: Map<string, unknown>;
}

/** The kind of a value. */
export function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value === 'object' ? 'object' : (typeof value as 'string' | 'boolean');
}
