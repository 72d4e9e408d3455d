import { isObject } from '@tenon/values/is-object';
import type { Json } from '../words.ts';
import { canonical } from '../canonical-value.ts';
import { KINDS, type Kind, type Part, type Shape } from './shape.ts';

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
const LEAST = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const MOST = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/** Keeps a keyword that is only compared as text, together with the definitions that it may refer to. */
export function hide(shape: Shape, document: Json, keyword: string, value: unknown): void {
  const text = canonical(value);
  const definitions = text?.includes('"$ref"') ? canonical([document['$defs'], document['definitions']]) : '';
  if (text === undefined || definitions === undefined) {
    shape.cut = true;
    return;
  }
  shape.opaque.set(
    keyword,
    [shape.opaque.get(keyword), text + definitions]
      .filter((each) => each !== undefined)
      .sort()
      .join(' '),
  );
}

/** Adds a keyword to the shape. */
export function readKeyword(shape: Shape, document: Json, schema: Json, keyword: string, value: unknown): void {
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
}

/** Reads a keyword. Returns false if its value is invalid. */
type Reader = (shape: Shape, value: unknown, part: (schema: unknown) => Part, schema: Json, document: Json) => boolean;

function collect(map: Map<string, Part[]>, value: Json, part: (schema: unknown) => Part): true {
  for (const name of Object.keys(value)) map.set(name, [...(map.get(name) ?? []), part(value[name])]);
  return true;
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'type',
    (shape, value) => {
      const names: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!names.every((name) => KINDS_OF.has(name))) return false;
      const kinds = names.flatMap((name) => KINDS_OF.get(name) ?? []);
      shape.kinds = new Set(kinds.filter((kind) => shape.kinds.has(kind)));
      return true;
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

const MAX_VALUES = 10_000;

function restrict(shape: Shape, values: readonly unknown[]): boolean {
  const byText = new Map<string, unknown>();
  for (const value of values.slice(0, MAX_VALUES)) {
    const text = canonical(value);
    if (text === undefined) return false;
    if (shape.values === undefined || shape.values.has(text)) byText.set(text, value);
  }
  shape.values = byText;
  return values.length <= MAX_VALUES;
}

/** Two lists of positional items cannot be merged. */
function readPrefix(shape: Shape, value: readonly unknown[], part: (schema: unknown) => Part): boolean {
  if (shape.prefix.length > 0) return false;
  shape.prefix = value.map((each) => [part(each)]);
  return true;
}

function readGroup(shape: Shape, keyword: 'anyOf' | 'oneOf', value: unknown, part: (schema: unknown) => Part): boolean {
  if (!Array.isArray(value)) return false;
  shape.groups.push({ keyword, source: value, branches: value.map(part) });
  return true;
}
