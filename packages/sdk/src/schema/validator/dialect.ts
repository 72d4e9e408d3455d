import { type DialectName, dialectName } from './dialect-name.ts';

/** The differences between the supported JSON Schema dialects. */
export interface Dialect {
  readonly name: DialectName;
  /** The keywords that contain schemas, and in which shape. */
  readonly subschemas: ReadonlyMap<string, Shape>;
  /** `prefixItems` and `items` (2020-12), or `items` and `additionalItems`. */
  readonly tuple: readonly [prefix: string, rest: string];
  /** Draft-07 ignores all keywords beside `$ref`. */
  readonly refAlone: boolean;
  /** Draft-07 writes anchors as `$id: "#name"`. */
  readonly anchorById: boolean;
  readonly dynamicRef: '$dynamicRef' | '$recursiveRef' | undefined;
  /** Does an item that `contains` matched count as evaluated? */
  readonly containsEvaluates: boolean;
}

/** One schema, a list of them, a map of them; `names`: map values may also be lists of property names. */
export type Shape = 'one' | 'list' | 'map' | 'oneOrList' | 'names';

const COMMON: readonly (readonly [string, Shape])[] = [
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['additionalProperties', 'one'],
  ['propertyNames', 'one'],
  ['contains', 'one'],
  ['definitions', 'map'],
  // Replaced in 2019-09 by two keywords, but implementations may still support it, and existing schemas use it.
  ['dependencies', 'names'],
];

const SINCE_2019: readonly (readonly [string, Shape])[] = [
  ['$defs', 'map'],
  ['dependentSchemas', 'map'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
  ['contentSchema', 'one'],
];

const OLD_TUPLE = [
  ['items', 'oneOrList'],
  ['additionalItems', 'one'],
] as const;

const DRAFT_2020: Dialect = {
  name: '2020-12',
  subschemas: new Map([...COMMON, ...SINCE_2019, ['prefixItems', 'list'], ['items', 'one']]),
  tuple: ['prefixItems', 'items'],
  refAlone: false,
  anchorById: false,
  dynamicRef: '$dynamicRef',
  containsEvaluates: true,
};

const DRAFT_2019: Dialect = {
  name: '2019-09',
  subschemas: new Map([...COMMON, ...SINCE_2019, ...OLD_TUPLE]),
  tuple: ['items', 'additionalItems'],
  refAlone: false,
  anchorById: false,
  dynamicRef: '$recursiveRef',
  containsEvaluates: false,
};

const DRAFT_07: Dialect = {
  name: 'draft-07',
  subschemas: new Map([...COMMON, ...OLD_TUPLE]),
  tuple: ['items', 'additionalItems'],
  refAlone: true,
  anchorById: true,
  dynamicRef: undefined,
  containsEvaluates: false,
};

const DIALECTS: ReadonlyMap<DialectName, Dialect> = new Map(
  [DRAFT_2020, DRAFT_2019, DRAFT_07].map((dialect) => [dialect.name, dialect]),
);

/** The dialect of a schema without `$schema`. */
export const DEFAULT_DIALECT: Dialect = DRAFT_2020;

/** The dialect that `$schema` names. Throws a `SchemaError` for an unsupported one. */
export function dialectOf($schema: unknown, at: string): Dialect {
  return DIALECTS.get(dialectName($schema, at))!;
}
