import type { Part, Shape } from '../values/schema/shape.ts';
import { isObject } from '@tenon/values/is-object';
import { inside, isAgain, type Maker, type Spot } from './maker.ts';

/** The most names that are invented. */
const MAX_EXTRA = 100;

/** Objects for a shape: first with required properties and those with a default, then with fewer and more. */
export function* objects(shape: Shape, spot: Spot, maker: Maker): Generator<Record<string, unknown>> {
  const all = [...shape.properties.keys()];
  const own = all.filter((name) => shape.properties.get(name)!.some(hasDefault));
  const required = [...shape.required];
  for (const optional of [maker.optional ? all : own, [], all, own]) {
    const names = enough(shape, new Set([...required, ...optional]), spot, maker);
    const value = names && objectOf(shape, names, spot, maker);
    if (value !== undefined) yield value;
  }
}

function hasDefault({ schema }: Part): boolean {
  return isObject(schema) && schema['default'] !== undefined;
}

/** The names with their dependencies, as many as the bounds require. */
function enough(shape: Shape, names: Set<string>, spot: Spot, maker: Maker): ReadonlySet<string> | undefined {
  const most = shape.bounds.get('maxProperties') ?? Infinity;
  const least = Math.min(shape.bounds.get('minProperties') ?? 0, most);
  for (const name of [...names].reverse()) if (names.size > most && !shape.required.has(name)) names.delete(name);
  for (const name of names) for (const need of needsOf(shape, name)) names.add(need);
  for (const name of shape.properties.keys()) if (names.size < least) names.add(name);
  for (let turn = 0; names.size < least; turn += 1) {
    if (turn > MAX_EXTRA) return undefined;
    const name = extraName(shape, turn, spot, maker);
    if (name === undefined) return undefined;
    names.add(name);
  }
  return names;
}

/** The names that a property requires: `dependentRequired`, and the arrays of `dependencies`. */
function needsOf({ flat }: Shape, name: string): string[] {
  return flat.flatMap(({ schema }) =>
    ['dependentRequired', 'dependencies'].flatMap((keyword) => {
      const rules = schema[keyword];
      const needs = isObject(rules) && Object.hasOwn(rules, name) ? rules[name] : undefined;
      return Array.isArray(needs) ? needs.filter((need) => typeof need === 'string') : [];
    }),
  );
}

/** A name for a property that is not described. */
function extraName({ flat, byPattern }: Shape, turn: number, spot: Spot, maker: Maker): string | undefined {
  const rules = flat.flatMap(({ document, schema }) =>
    schema['propertyNames'] === undefined ? [] : [{ document, schema: schema['propertyNames'] }],
  );
  const patterns = [...byPattern.keys()].map((pattern) => ({ document: {}, schema: { type: 'string', pattern } }));
  if (rules.length === 0 && patterns.length === 0) return turn === 0 ? 'key' : `key${turn + 1}`;
  const name = maker.make(rules.length > 0 ? rules : patterns.slice(0, 1), inside(spot, 'key', turn));
  return typeof name === 'string' ? name : undefined;
}

function objectOf(
  shape: Shape,
  names: ReadonlySet<string>,
  spot: Spot,
  maker: Maker,
): Record<string, unknown> | undefined {
  const members: [string, unknown][] = [];
  // In the order of their descriptions.
  for (const name of new Set([...[...shape.properties.keys()].filter((each) => names.has(each)), ...names])) {
    const parts = partsOf(shape, name, maker);
    const needed = shape.required.has(name);
    if (!needed && isAgain(parts, spot)) continue;
    const value = maker.make(parts, inside(spot, name, spot.turn));
    if (value !== undefined) members.push([name, value]);
    else if (needed) return undefined;
  }
  return Object.fromEntries(members);
}

/** The schemas of a property: by its name, by patterns, otherwise those for additional properties. */
function partsOf({ properties, byPattern, extra, parts }: Shape, name: string, maker: Maker): readonly Part[] {
  const matched = [...byPattern].flatMap(([pattern, schemas]) => (maker.matches(pattern, name) ? schemas : []));
  const own = [...(properties.get(name) ?? []), ...matched];
  if (own.length > 0) return own;
  return extra ?? [{ document: parts[0]!.document, schema: true }];
}
