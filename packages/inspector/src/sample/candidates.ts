import { shapeOf } from '../values/schema/read-shape.ts';
import type { Kind, Part, Shape } from '../values/schema/shape.ts';
import { isObject } from '@tenon/values/is-object';
import { arrays } from './arrays.ts';
import { isAgain, type Maker, type Spot } from './maker.ts';
import { objects } from './objects.ts';
import { numbers, texts } from './scalars.ts';

const MAX_DEPTH = 16;
/** The number of values tried at one position. */
const TRIES = 60;

/** A value for schemas that apply together. Undefined if none was found. */
export function makeValue(parts: readonly Part[], spot: Spot, maker: Maker): unknown {
  let tries = 0;
  for (const value of candidates(parts, spot, maker)) {
    if (parts.every((part) => maker.fits(part, value))) return value;
    tries += 1;
    if (tries >= TRIES || maker.budget.left <= 0) break;
  }
  return undefined;
}

/** Candidate values for schemas that apply together, the most plausible first. */
export function* candidates(parts: readonly Part[], spot: Spot, maker: Maker): Generator<unknown> {
  maker.budget.left -= 1;
  if (maker.budget.left < 0 || spot.depth > MAX_DEPTH) return;
  const shape = shapeOf(parts);
  if (shape.never) return;
  yield* given(shape, spot);
  const group = shape.groups.find(({ source }) => !spot.done.has(source));
  if (group !== undefined) {
    const { source } = group;
    const branches = [...group.branches].sort((a, b) => rank(a, spot) - rank(b, spot));
    const done = new Set(spot.done).add(source);
    for (let at = 0; at < branches.length; at += 1) {
      const branch = branches[(at + spot.turn) % branches.length]!;
      for (const value of candidates([...parts, branch], { ...spot, done }, maker))
        if (maker.fits(branch, value)) yield value;
    }
    return;
  }
  yield* plain(shape, { ...spot, stack: [...spot.stack, ...shape.flat.map(({ schema }) => schema)] }, maker);
  yield* conditional(shape, spot, maker);
}

/** Orders branches: null is least plausible, and a recursive branch does not end. */
function rank(part: Part, spot: Spot): number {
  const { schema } = part;
  if (isObject(schema) && (schema['type'] === 'null' || schema['const'] === null)) return 1;
  return isAgain([part], spot) ? 2 : 0;
}

/** Values from the schema itself. */
function* given({ values, flat }: Shape, { turn }: Spot): Generator<unknown> {
  const defaults = flat.flatMap(({ schema }) => (schema['default'] === undefined ? [] : [schema['default']]));
  const examples = flat.flatMap(({ schema }) =>
    Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : [],
  );
  const all = [...defaults, ...examples, ...(values?.values() ?? [])];
  for (let at = 0; at < Math.min(all.length, TRIES); at += 1) yield structuredClone(all[(at + turn) % all.length]);
}

/** Values that also match a branch of an `if`, or the `dependentSchemas`. */
function* conditional({ parts, flat }: Shape, spot: Spot, maker: Maker): Generator<unknown> {
  for (const { document, schema } of flat) {
    if (spot.done.has(schema)) continue;
    const done = new Set(spot.done).add(schema);
    const part = (keyword: string): Part[] =>
      schema[keyword] === undefined ? [] : [{ document, schema: schema[keyword] }];
    if (schema['if'] !== undefined) {
      yield* candidates([...parts, ...part('if'), ...part('then')], { ...spot, done }, maker);
      yield* candidates([...parts, ...part('else')], { ...spot, done }, maker);
    }
    const dependents = ['dependentSchemas', 'dependencies'].flatMap((keyword) => {
      const rules = schema[keyword];
      return isObject(rules) ? Object.values(rules).filter((rule) => !Array.isArray(rule)) : [];
    });
    if (dependents.length > 0)
      yield* candidates(
        [...parts, ...dependents.map((rule) => ({ document, schema: rule }))],
        { ...spot, done },
        maker,
      );
  }
}

/** The types that keywords imply, for schemas without `type`. */
const HINTS: readonly (readonly [kind: Kind, hints: (shape: Shape) => boolean])[] = [
  [
    'object',
    ({ properties, required, byPattern, extra, bounds }) =>
      properties.size + required.size + byPattern.size > 0 || extra !== undefined || bounds.has('minProperties'),
  ],
  [
    'array',
    ({ items, prefix, flat, bounds }) =>
      items !== undefined ||
      prefix.length > 0 ||
      bounds.has('minItems') ||
      flat.some(({ schema }) => schema['contains'] !== undefined),
  ],
  [
    'string',
    ({ patterns, formats, bounds }) =>
      patterns.size + formats.size > 0 || bounds.has('minLength') || bounds.has('maxLength'),
  ],
  [
    'integer',
    ({ bounds, divisors }) =>
      divisors.size > 0 ||
      ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].some((each) => bounds.has(each)),
  ],
];

function kindsOf(shape: Shape): readonly Kind[] {
  const kinds = [...shape.kinds].filter((kind) => kind !== 'fraction' || !shape.kinds.has('integer'));
  const hinted = HINTS.filter(([kind, hints]) => shape.kinds.has(kind) && hints(shape)).map(([kind]) => kind);
  // Null is least plausible.
  const others = kinds.sort((a, b) => Number(a === 'null') - Number(b === 'null'));
  return [...new Set(shape.kinds.size > 2 ? [...hinted, ...others] : others)];
}

/** Values generated from types, bounds and similar keywords; one of each kind, then more of each. */
function* plain(shape: Shape, spot: Spot, maker: Maker): Generator<unknown> {
  const kinds = kindsOf(shape);
  for (let more = 0; more < 3; more += 1)
    for (const kind of kinds) {
      const next = { ...spot, turn: spot.turn + more };
      if (kind === 'string') yield* texts(shape, spot.name, next.turn);
      else if (kind === 'integer' || kind === 'fraction') yield* numbers(shape, spot.name, next.turn);
      else if (kind === 'boolean') yield next.turn % 2 === 1;
      else if (kind === 'null') yield null;
      else if (kind === 'array') yield* arrays(shape, next, maker);
      else yield* objects(shape, next, maker);
    }
}
