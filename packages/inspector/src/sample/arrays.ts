import { canonical } from '../values/canonical-value.ts';
import type { Part, Shape } from '../values/schema/shape.ts';
import { inside, isAgain, type Maker, type Spot } from './maker.ts';

/** The longest array that is generated. */
const MAX_LENGTH = 1_000;
/** The number of other values tried for an item that must be unique. */
const TRIES = 20;

/** Arrays for a shape: first one with an item of each kind, then shorter and longer ones. */
export function* arrays(shape: Shape, spot: Spot, maker: Maker): Generator<unknown[]> {
  const least = Math.min(shape.bounds.get('minItems') ?? 0, MAX_LENGTH);
  const most = Math.min(shape.bounds.get('maxItems') ?? MAX_LENGTH, MAX_LENGTH);
  const wanted = wantedItems(shape);
  const full = Math.max(least, shape.prefix.length, wanted.length, shape.items === undefined ? 0 : 1);
  for (const length of new Set([
    Math.min(full, most),
    least,
    Math.min(shape.prefix.length + wanted.length, most),
    Math.min(least + 1, most),
  ])) {
    const list = listOf(shape, length, least, wanted, spot, maker);
    if (list !== undefined) yield list;
  }
}

/** The schemas that some items must match: those of `contains`, repeated as required. */
function wantedItems({ flat }: Shape): Part[] {
  return flat.flatMap(({ document, schema }) => {
    if (schema['contains'] === undefined) return [];
    const count = typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
    return Array.from({ length: Math.min(Math.max(Math.ceil(count), 0), MAX_LENGTH) }, () => ({
      document,
      schema: schema['contains'],
    }));
  });
}

function listOf(
  shape: Shape,
  length: number,
  least: number,
  wanted: readonly Part[],
  spot: Spot,
  maker: Maker,
): unknown[] | undefined {
  const items: unknown[] = [];
  const known = new Set<string | undefined>();
  const [{ document }] = shape.parts as readonly [Part, ...Part[]];
  for (let index = 0; index < length; index += 1) {
    // Required items go to the end, after positional items.
    const extra = wanted[index - (length - wanted.length)];
    const own = shape.prefix[index] ?? shape.items ?? [{ document, schema: true }];
    const parts = extra === undefined ? own : [...own, extra];
    if (isAgain(parts, spot) && index >= least) break;
    const item = another(parts, index, shape.unique ? known : undefined, spot, maker);
    if (item === undefined) {
      if (index >= least) break;
      return undefined;
    }
    known.add(canonical(item));
    items.push(item);
  }
  return items;
}

/** An item, different from the others if they must be unique. */
function another(
  parts: readonly Part[],
  index: number,
  known: ReadonlySet<unknown> | undefined,
  spot: Spot,
  maker: Maker,
): unknown {
  for (let turn = spot.turn + index; turn < spot.turn + index + TRIES; turn += 1) {
    const item = maker.make(parts, inside(spot, spot.name, turn));
    if (item === undefined || known === undefined || !known.has(canonical(item))) return item;
  }
  return undefined;
}
