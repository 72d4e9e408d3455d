import { type Reading, own, type Schema, TOO_LARGE } from './reading.ts';
import { type TypeNode, unknownType } from './type-node.ts';

/** Longer tuples become lists. */
const MAX_TUPLE = 100;

/** The schemas of the first items, and that of the items after them, in either form of the drafts. */
function tupleOf(schema: Schema): { readonly first: readonly unknown[]; readonly rest: unknown } | undefined {
  const prefix = own(schema, 'prefixItems');
  const items = own(schema, 'items');
  if (Array.isArray(prefix)) return { first: prefix, rest: items ?? own(schema, 'unevaluatedItems') };
  return Array.isArray(items) ? { first: items, rest: own(schema, 'additionalItems') } : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? Math.floor(value) : undefined;
}

/** The type of the arrays that a schema allows. */
export function arrayType(schema: Schema, reading: Reading, depth: number): TypeNode {
  const isReadonly = reading.isInput;
  const tuple = tupleOf(schema);
  if (tuple === undefined) {
    const items = own(schema, 'items');
    const item = items === undefined ? unknownType() : reading.read(items, depth + 1);
    return { kind: 'list', item, isReadonly };
  }
  const { first, rest } = tuple;
  if (first.length > MAX_TUPLE)
    return { kind: 'list', item: unknownType(`a tuple of ${first.length} items`), isReadonly };
  if (!reading.spend(first.length)) return unknownType(TOO_LARGE);
  const items = first.map((item) => reading.read(item, depth + 1));
  const most = count(own(schema, 'maxItems')) ?? Infinity;
  return {
    kind: 'tuple',
    items,
    // Without `minItems` even an empty array is valid.
    required: Math.min(count(own(schema, 'minItems')) ?? 0, items.length),
    rest:
      rest === false || most <= items.length
        ? undefined
        : rest === undefined
          ? unknownType()
          : reading.read(rest, depth + 1),
    isReadonly,
  };
}
