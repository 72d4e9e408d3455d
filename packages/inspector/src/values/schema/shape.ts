import type { Json } from '../words.ts';

/** A schema and its document, in which its `$ref` is resolved. */
export interface Part {
  readonly document: Json;
  readonly schema: unknown;
}

/** The kinds of values. `fraction`: numbers that are not integers. */
export const KINDS = ['string', 'integer', 'fraction', 'boolean', 'null', 'object', 'array'] as const;
export type Kind = (typeof KINDS)[number];

/** A part whose schema is an object. */
export interface Flat extends Part {
  readonly schema: Json;
}

/** Branches of which a value must match any, or exactly one. */
export interface Group {
  readonly keyword: 'anyOf' | 'oneOf';
  /** The array in the schema: identifies the group. */
  readonly source: readonly unknown[];
  readonly branches: readonly Part[];
}

/** The combined meaning of schemas: all `allOf` branches are merged, and so are the targets of `$ref`. */
export interface Shape {
  /** The schemas it was read from; never empty. */
  readonly parts: readonly Part[];
  /** The same, with the targets of references and the branches of `allOf`. */
  flat: readonly Flat[];
  /** No value is valid. */
  never: boolean;
  kinds: ReadonlySet<Kind>;
  /** The values of `enum` and `const`, by their canonical text. Undefined: not restricted. */
  values: ReadonlyMap<string, unknown> | undefined;
  /** Numeric limits by keyword: the strictest of all. */
  readonly bounds: Map<string, number>;
  readonly patterns: Set<string>;
  readonly formats: Set<string>;
  /** The values of `multipleOf`. */
  readonly divisors: Set<number>;
  unique: boolean;
  /** The schema is too large, and was not read in full. */
  cut: boolean;
  readonly properties: Map<string, Part[]>;
  readonly required: Set<string>;
  /** The schemas of properties that are not described. Undefined: anything is allowed. */
  extra: Part[] | undefined;
  prefix: Part[][];
  items: Part[] | undefined;
  readonly groups: Group[];
  readonly byPattern: Map<string, Part[]>;
  /** Keywords that are only compared as text, with their canonical text. */
  readonly opaque: Map<string, string>;
  /** Annotations. */
  readonly remarks: Map<string, unknown>;
}

/** The kind of a value. */
export function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value === 'object' ? 'object' : (typeof value as 'string' | 'boolean');
}
