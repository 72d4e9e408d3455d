import { isObject, type Json } from '../rules/words.ts';
import { canonical } from './canonical.ts';

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

const MOST_PARTS = 200;
const MOST_HOPS = 64;

const OPAQUE: ReadonlySet<string> = new Set([
  ...[
    'not',
    'if',
    'then',
    'else',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'contains',
    'minContains',
    'maxContains',
  ],
  ...['propertyNames', 'unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'],
]);
/** They name schemas, and say nothing about values. */
const SILENT: ReadonlySet<string> = new Set([
  ...[
    '$schema',
    '$id',
    '$anchor',
    '$dynamicAnchor',
    '$recursiveAnchor',
    '$defs',
    'definitions',
    '$comment',
    '$vocabulary',
    'id',
    '$ref',
    'allOf',
  ],
]);
const ITEMS: ReadonlySet<string> = new Set(['prefixItems', 'items', 'additionalItems']);
const LEAST = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const MOST = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/** Reads what some schemas say together about one value. */
export const shapeOf = (parts: readonly Part[]): Shape => {
  const shape: Shape = {
    parts,
    flat: [],
    never: false,
    kinds: new Set(KINDS),
    values: undefined,
    bounds: new Map(),
    patterns: new Set(),
    formats: new Set(),
    divisors: new Set(),
    unique: false,
    cut: false,
    properties: new Map(),
    required: new Set(),
    extra: undefined,
    prefix: [],
    items: undefined,
    groups: [],
    byPattern: new Map(),
    opaque: new Map(),
    remarks: new Map(),
  };
  const flat = flatten(parts, shape);
  shape.flat = flat;
  const closing = flat.filter(({ schema }) => schema['additionalProperties'] !== undefined);
  const describing = flat.filter(
    ({ schema }) => schema['properties'] !== undefined || schema['patternProperties'] !== undefined,
  );
  const listing = flat.filter(({ schema }) => schema['prefixItems'] !== undefined || schema['items'] !== undefined);
  // The same holds for items where some are told by their places.
  const byPlace =
    listing.length > 1 && listing.some(({ schema }) => Array.isArray(schema['prefixItems'] ?? schema['items']));
  for (const { schema, document } of flat) {
    // It sees only the properties beside it: with others elsewhere it is no simple list of what is allowed.
    const alone = closing.length === 1 && describing.every((each) => each.schema === schema);
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      if (value === undefined || SILENT.has(keyword)) continue;
      if ((keyword === 'additionalProperties' && !alone) || (byPlace && ITEMS.has(keyword)))
        hide(shape, document, keyword, value);
      else read(shape, document, schema, keyword, value);
    }
  }
  if (shape.values !== undefined) {
    shape.values = new Map([...shape.values].filter(([, value]) => shape.kinds.has(kindOf(value))));
    shape.never ||= shape.values.size === 0;
  }
  shape.never ||= shape.kinds.size === 0;
  return shape;
};

/** The schemas, what they refer to, and the branches of their `allOf`. */
const flatten = (parts: readonly Part[], shape: Shape): Flat[] => {
  const flat: Flat[] = [];
  const todo = parts.map((part) => ({ ...part, hops: 0 }));
  for (let part = todo.shift(); part !== undefined; part = todo.shift()) {
    const { document, schema, hops } = part;
    if (schema === false) shape.never = true;
    if (!isObject(schema)) {
      if (typeof schema !== 'boolean') hide(shape, document, 'schema', schema);
      continue;
    }
    if (flat.length >= MOST_PARTS || hops > MOST_HOPS) {
      shape.cut = true;
      break;
    }
    const { $ref, allOf } = schema;
    if ($ref !== undefined) {
      const target = targetOf(document, $ref);
      if (target === undefined) hide(shape, document, '$ref', $ref);
      else todo.push({ document, schema: target, hops: hops + 1 });
      if (isDraft07(document)) continue;
    }
    flat.push({ document, schema });
    if (Array.isArray(allOf))
      for (const branch of allOf.slice(0, MOST_PARTS))
        todo.push({ document, schema: branch as unknown, hops: hops + 1 });
  }
  return flat;
};

const isDraft07 = ({ $schema }: Json): boolean => typeof $schema === 'string' && $schema.includes('draft-07');

/** What a reference inside of a document leads to. */
export const targetOf = (document: Json, reference: unknown): unknown => {
  if (typeof reference !== 'string' || !/^#(?:$|\/)/.test(reference)) return undefined;
  let value: unknown = document;
  for (const token of reference.slice(1).split('/').slice(1)) {
    const name = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Json)[name];
  }
  return value;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Keeps what is only compared as it is written. What it refers to is a part of it. */
const hide = (shape: Shape, document: Json, keyword: string, value: unknown): void => {
  const text = canonical(value) ?? 'too deep';
  const definitions = text.includes('"$ref"')
    ? (canonical([document['$defs'], document['definitions']]) ?? 'too deep')
    : '';
  shape.opaque.set(
    keyword,
    [shape.opaque.get(keyword), text + definitions]
      .filter((each) => each !== undefined)
      .sort()
      .join(' '),
  );
};

const read = (shape: Shape, document: Json, schema: Json, keyword: string, value: unknown): void => {
  const part = (inner: unknown): Part => ({ document, schema: inner });
  if (LEAST.has(keyword) || MOST.has(keyword)) {
    if (typeof value !== 'number') return hide(shape, document, keyword, value);
    const known = shape.bounds.get(keyword) ?? value;
    shape.bounds.set(keyword, LEAST.has(keyword) ? Math.max(known, value) : Math.min(known, value));
    return;
  }
  if (OPAQUE.has(keyword)) return hide(shape, document, keyword, value);
  const reader = READERS.get(keyword);
  if (reader === undefined) {
    if (!shape.remarks.has(keyword)) shape.remarks.set(keyword, value);
  } else if (!reader(shape, value, part, schema, document)) hide(shape, document, keyword, value);
};

/** Reads a keyword; false where its value is not what it should be. */
type Reader = (shape: Shape, value: unknown, part: (schema: unknown) => Part, schema: Json, document: Json) => boolean;

const collect = (map: Map<string, Part[]>, value: Json, part: (schema: unknown) => Part): true => {
  for (const name of Object.keys(value)) map.set(name, [...(map.get(name) ?? []), part(value[name])]);
  return true;
};

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'type',
    (shape, value) => {
      const names: readonly unknown[] = Array.isArray(value) ? value : [value];
      const kinds = names.flatMap((name) => KINDS_OF.get(name) ?? []);
      shape.kinds = new Set(kinds.filter((kind) => shape.kinds.has(kind)));
      return names.every((name) => KINDS_OF.has(name));
    },
  ],
  ['enum', (shape, value) => Array.isArray(value) && restrict(shape, value)],
  ['const', (shape, value) => restrict(shape, [value])],
  ['pattern', (shape, value) => typeof value === 'string' && Boolean(shape.patterns.add(value))],
  ['multipleOf', (shape, value) => typeof value === 'number' && value > 0 && Boolean(shape.divisors.add(value))],
  ['format', (shape, value) => typeof value === 'string' && Boolean(shape.formats.add(value))],
  [
    'uniqueItems',
    (shape, value) => {
      shape.unique ||= value === true;
      return typeof value === 'boolean';
    },
  ],
  ['properties', (shape, value, part) => isObject(value) && collect(shape.properties, value, part)],
  ['patternProperties', (shape, value, part) => isObject(value) && collect(shape.byPattern, value, part)],
  [
    'required',
    (shape, value) => {
      if (!Array.isArray(value)) return false;
      for (const name of value) if (typeof name === 'string') shape.required.add(name);
      return true;
    },
  ],
  [
    'additionalProperties',
    (shape, value, part) => {
      if (value !== true) shape.extra = [...(shape.extra ?? []), part(value)];
      return true;
    },
  ],
  ['prefixItems', (shape, value, part) => Array.isArray(value) && readPrefix(shape, value, part)],
  [
    'items',
    (shape, value, part) => {
      if (Array.isArray(value)) return readPrefix(shape, value, part);
      shape.items = [...(shape.items ?? []), part(value)];
      return true;
    },
  ],
  [
    'additionalItems',
    (shape, value, part, schema) => {
      if (Array.isArray(schema['items'])) shape.items = [...(shape.items ?? []), part(value)];
      return true;
    },
  ],
  ['anyOf', (shape, value, part) => readGroup(shape, 'anyOf', value, part)],
  ['oneOf', (shape, value, part) => readGroup(shape, 'oneOf', value, part)],
]);

const KINDS_OF: ReadonlyMap<unknown, readonly Kind[]> = new Map<unknown, readonly Kind[]>([
  ...KINDS.filter((kind) => kind !== 'fraction').map((kind) => [kind, [kind]] as const),
  ['number', ['integer', 'fraction']],
]);

const MOST_VALUES = 10_000;

const restrict = (shape: Shape, values: readonly unknown[]): boolean => {
  const byText = new Map<string, unknown>();
  for (const value of values.slice(0, MOST_VALUES)) {
    const text = canonical(value);
    if (text === undefined) return false;
    if (shape.values === undefined || shape.values.has(text)) byText.set(text, value);
  }
  shape.values = byText;
  return values.length <= MOST_VALUES;
};

/** Two lists of items by places at once are too much to decide. */
const readPrefix = (shape: Shape, value: readonly unknown[], part: (schema: unknown) => Part): boolean => {
  if (shape.prefix.length > 0) return false;
  shape.prefix = value.map((each) => [part(each)]);
  return true;
};

const readGroup = (
  shape: Shape,
  keyword: 'anyOf' | 'oneOf',
  value: unknown,
  part: (schema: unknown) => Part,
): boolean => {
  if (!Array.isArray(value)) return false;
  shape.groups.push({ keyword, source: value, branches: value.map(part) });
  return true;
};

/** The kind of a value. */
export const kindOf = (value: unknown): Kind => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value === 'object' ? 'object' : (typeof value as 'string' | 'boolean');
};
