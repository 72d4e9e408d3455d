import { isObject } from '@tenon/values/is-object';
import type { Json } from '../words.ts';
import { hide, readKeyword } from './shape-keywords.ts';
import { KINDS, kindOf, type Flat, type Part, type Shape } from './shape.ts';

const MAX_PARTS = 200;
const MAX_HOPS = 64;

/** Keywords that identify schemas, and do not constrain values. */
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
/** Merges schemas that apply to the same value. */
export function shapeOf(parts: readonly Part[]): Shape {
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
  // The same holds for items if some are described by their position.
  const byPlace =
    listing.length > 1 && listing.some(({ schema }) => Array.isArray(schema['prefixItems'] ?? schema['items']));
  for (const { schema, document } of flat) {
    // It applies only to the properties of its own schema: if other schemas have some, it is not a plain list of allowed
    // properties.
    const alone = closing.length === 1 && describing.every((each) => each.schema === schema);
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      if (value === undefined || SILENT.has(keyword)) continue;
      if ((keyword === 'additionalProperties' && !alone) || (byPlace && ITEMS.has(keyword)))
        hide(shape, document, keyword, value);
      else readKeyword(shape, document, schema, keyword, value);
    }
  }
  if (shape.values !== undefined) {
    shape.values = new Map([...shape.values].filter(([, value]) => shape.kinds.has(kindOf(value))));
    shape.never ||= shape.values.size === 0;
  }
  shape.never ||= shape.kinds.size === 0;
  return shape;
}

/** The schemas, the targets of their references, and the branches of their `allOf`. */
function flatten(parts: readonly Part[], shape: Shape): Flat[] {
  const flat: Flat[] = [];
  const todo = parts.map((part) => ({ ...part, hops: 0 }));
  for (let part = todo.shift(); part !== undefined; part = todo.shift()) {
    const { document, schema, hops } = part;
    if (schema === false) shape.never = true;
    if (!isObject(schema)) {
      if (typeof schema !== 'boolean') hide(shape, document, 'schema', schema);
      continue;
    }
    if (flat.length >= MAX_PARTS || hops > MAX_HOPS) {
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
      for (const branch of allOf.slice(0, MAX_PARTS))
        todo.push({ document, schema: branch as unknown, hops: hops + 1 });
  }
  return flat;
}

function isDraft07({ $schema }: Json): boolean {
  return typeof $schema === 'string' && $schema.includes('draft-07');
}

/** The target of a reference within a document. */
export function targetOf(document: Json, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(?:$|\/)/.test(reference)) return undefined;
  let value: unknown = document;
  for (const token of reference.slice(1).split('/').slice(1)) {
    const name = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Json)[name];
  }
  return value;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
